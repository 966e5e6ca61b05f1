/** The numbers of a system call: on x86_64, and in the generic table that arm64 uses; null where it does not exist. */
export type SystemCallNumbers = readonly [x64: number | null, arm64: number | null];

/** The system calls of which only some arguments are refused. */
export const SOCKET: SystemCallNumbers = [41, 198];
export const SOCKETPAIR: SystemCallNumbers = [53, 199];
export const UNSHARE: SystemCallNumbers = [272, 97];
export const CLONE: SystemCallNumbers = [56, 220];
export const CLONE3: SystemCallNumbers = [435, 435];
export const IOCTL: SystemCallNumbers = [16, 29];

/**
 * The system calls that no command needs: those that reach other processes, the kernel's own tables, mounts and
 * namespaces, and young interfaces in which most escapes were found.
 */
export const REFUSED: Readonly<Record<string, SystemCallNumbers>> = {
  unshare: UNSHARE,
  setns: [308, 268],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  open_tree: [428, 428],
  move_mount: [429, 429],
  mount_setattr: [442, 442],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  keyctl: [250, 219],
  add_key: [248, 217],
  request_key: [249, 218],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  iopl: [172, null],
  ioperm: [173, null],
  modify_ldt: [154, null],
  uselib: [134, null],
  mknod: [133, null],
  lookup_dcookie: [212, 18],
  open_by_handle_at: [304, 265],
  name_to_handle_at: [303, 264],
  syslog: [103, 116],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  adjtimex: [159, 171],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  vhangup: [153, 58],
  nfsservctl: [180, 42],
  move_pages: [279, 239],
  migrate_pages: [256, 238],
  mbind: [237, 235],
  set_mempolicy: [238, 237],
  set_mempolicy_home_node: [450, 450],
  fanotify_init: [300, 262],
  memfd_secret: [447, 447],
};

/** Those of them that a program may call which confines parts of itself. */
export const LEFT_TO_CONFINERS: ReadonlySet<string> = new Set(['chroot', 'unshare']);
