// Classic BPF, as the kernel reads it (linux/filter.h, linux/seccomp.h): 16 bits of code, two jumps of 8 bits, and a
// value of 32 bits. All numbers are little-endian on both machines.
const LOAD_WORD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const JUMP_IF_ANY_BIT = 0x45;
const RETURN = 0x06;

const NUMBER_AT = 0;
const MACHINE_AT = 4;
const ARGUMENTS_AT = 16;

const ALLOW = 0x7fff_0000;
const KILL_PROCESS = 0x8000_0000;
const REFUSE = 0x0005_0000;
const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** From here on x86_64 has a second set of system calls, which programs do not use. */
const X32 = 0x4000_0000;
const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;

/** The bits of `clone` that make namespaces, and those that programs use to confine parts of themselves. */
const NEW_NAMESPACES = 0x7e02_0000;
const NEW_USER_PROCESSES_NETWORK = 0x7000_0000;

/** A bit of `unshare` alone. */
const NEW_TIME = 0x80;

/** Requests that type into a terminal. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;

const MACHINES = {
  x64: { column: 0, audit: 0xc000_003e },
  arm64: { column: 1, audit: 0xc000_00b7 },
} as const;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

const load = (at: number): Instruction => [LOAD_WORD, 0, 0, at];
const answer = (value: number): Instruction => [RETURN, 0, 0, value];
const argument = (index: number): Instruction => load(ARGUMENTS_AT + 8 * index);

/**
 * Returns the seccomp program of the sandbox, or undefined for a machine whose system calls are not known here. It
 * allows what is not refused, because commands are programs of every kind. With `confiner` a program may also confine
 * parts of itself: by `chroot`, and in namespaces of users, processes and the network.
 */
export function seccompFilter(architecture: string, purpose?: 'confiner'): Buffer | undefined {
  if (architecture !== 'x64' && architecture !== 'arm64') return undefined;
  const { column, audit } = MACHINES[architecture];
  const isConfiner = purpose === 'confiner';
  const refused = Object.entries(REFUSED).filter(([name]) => !(isConfiner && LEFT_TO_CONFINERS.has(name)));
  const newNamespaces = isConfiner ? NEW_NAMESPACES & ~NEW_USER_PROCESSES_NETWORK : NEW_NAMESPACES;
  return assemble([
    load(MACHINE_AT),
    [JUMP_IF_EQUAL, 1, 0, audit],
    answer(KILL_PROCESS),
    load(NUMBER_AT),
    [JUMP_IF_AT_LEAST, 0, 1, X32],
    answer(REFUSE | ENOSYS),
    ...refused.flatMap(([, call]) => whenCalled(call[column], [answer(REFUSE | EPERM)])),
    // Its flags lie in memory, which a filter cannot read. Callers fall back to `clone`.
    ...whenCalled(CLONE3[column], [answer(REFUSE | ENOSYS)]),
    ...whenCalled(CLONE[column], [argument(0), [JUMP_IF_ANY_BIT, 0, 1, newNamespaces], ...refusedElseAllowed(EPERM)]),
    ...whenCalled(UNSHARE[column], [
      argument(0),
      [JUMP_IF_ANY_BIT, 0, 1, newNamespaces | NEW_TIME],
      ...refusedElseAllowed(EPERM),
    ]),
    ...whenCalled(IOCTL[column], [
      argument(1),
      [JUMP_IF_EQUAL, 1, 0, TIOCSTI],
      [JUMP_IF_EQUAL, 0, 1, TIOCLINUX],
      ...refusedElseAllowed(EPERM),
    ]),
    // Some families, such as AF_VSOCK, are not confined by a network namespace.
    ...[SOCKET, SOCKETPAIR].flatMap((call: SystemCallNumbers) =>
      whenCalled(call[column], [
        argument(0),
        [JUMP_IF_EQUAL, 3, 0, AF_UNIX],
        [JUMP_IF_EQUAL, 2, 0, AF_INET],
        [JUMP_IF_EQUAL, 1, 0, AF_INET6],
        ...refusedElseAllowed(EAFNOSUPPORT),
      ]),
    ),
    answer(ALLOW),
  ]);
}

function refusedElseAllowed(error: number): Instruction[] {
  return [answer(REFUSE | error), answer(ALLOW)];
}

// The number of the call is loaded; a rule that does not apply is jumped over.
function whenCalled(number: number | null, rule: readonly Instruction[]): Instruction[] {
  return number === null ? [] : [[JUMP_IF_EQUAL, 0, rule.length, number], ...rule];
}

function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [at, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, at * 8);
    bytes.writeUInt8(ifTrue, at * 8 + 2);
    bytes.writeUInt8(ifFalse, at * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, at * 8 + 4);
  }
  return bytes;
}

/** The numbers of a system call: on x86_64, and in the generic table that arm64 uses; null where it does not exist. */
type SystemCallNumbers = readonly [x64: number | null, arm64: number | null];

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
const LEFT_TO_CONFINERS: ReadonlySet<string> = new Set(['chroot', 'unshare']);
