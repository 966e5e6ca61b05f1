import { lstatSync, readlinkSync } from 'node:fs';
import { GATEWAY_SOCKET, NODE, PROXY_VARIABLES } from './egress/forwarder.ts';

/** The folder of the workspace as a command sees it. */
const WORK = '/work';

/** The limits of one command. */
export interface SandboxLimits {
  /** The memory of all its processes together, in bytes. */
  readonly memory: number;
  /** The most processes and threads at once. */
  readonly processes: number;
  /** The size of its temporary folder, in bytes. */
  readonly temporary: number;
}

/** Where a command finds its library. */
export const LIBRARY = '/run/library';

/** What a command sees of the machine. */
export interface SandboxView {
  /** The folder that it sees as `/work`; an empty temporary folder is all it has unless given. */
  readonly folder?: { readonly path: string; readonly access: 'read' | 'write' } | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** A folder of code that it finds at `LIBRARY`. */
  readonly library?: string | undefined;
  /** Whether it may confine parts of itself, in namespaces within its own. */
  readonly isConfiner?: boolean | undefined;
  /** Further folders that it may read, where they are on the machine. */
  readonly readable?: readonly string[] | undefined;
}

/** The way of a command to the network: the socket of its gateway, and the Node that leads programs there. */
export interface EgressView {
  readonly socket: string;
  readonly node: string;
}

/** The descriptors of bubblewrap: its arguments, its record of how the command ended, and the seccomp program. */
export const ARGUMENTS_FD = 3;
export const STATUS_FD = 4;
export const SECCOMP_FD = 5;

const MB = 1024 * 1024;
const SHARED_MEMORY = 64 * MB;
/** The longest file that a command may write, in bytes. */
const MAX_FILE = 100 * MB;
const MAX_DESCRIPTORS = 1024;
/** Node ends at its start with less. */
const MIN_DATA = 2048 * MB;

const SYSTEM_FOLDERS = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'];
const SETTINGS = ['ssl', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'alternatives', 'fonts', 'localtime'];

/**
 * Returns the arguments of bubblewrap, which confine a command. Their order matters: what is mounted later lies over
 * what was mounted before, and the root becomes read-only last.
 */
export function profileArguments(
  {
    folder,
    environment = {},
    readable = [],
    library,
    isConfiner = false,
    egress,
  }: SandboxView & { readonly egress?: EgressView | undefined },
  { temporary }: SandboxLimits,
): string[] {
  return [
    ...words('--unshare-user --unshare-pid --unshare-net --unshare-ipc --unshare-uts'),
    ...(isConfiner ? [] : ['--disable-userns']),
    ...words('--unshare-cgroup-try --hostname sandbox --die-with-parent --new-session --clearenv'),
    ...words('--setenv PATH /usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin'),
    ...words('--setenv HOME /tmp --setenv LANG C.UTF-8'),
    ...Object.entries(egress === undefined ? {} : PROXY_VARIABLES).flatMap(([name, value]) => [
      '--setenv',
      name,
      value,
    ]),
    ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
    ...words('--ro-bind /usr /usr'),
    ...SYSTEM_FOLDERS.flatMap(systemFolder),
    ...SETTINGS.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
    ...words(`--proc /proc --dev /dev --size ${temporary} --tmpfs /tmp --size ${SHARED_MEMORY} --tmpfs /dev/shm`),
    ...readable.flatMap((path) => ['--ro-bind', path, path]),
    ...(folder === undefined ? words('--chdir /tmp') : workFolder(folder)),
    ...(library === undefined ? [] : ['--ro-bind', library, LIBRARY]),
    ...(egress === undefined ? [] : ['--ro-bind', egress.node, NODE, '--ro-bind', egress.socket, GATEWAY_SOCKET]),
    ...words(`--seccomp ${SECCOMP_FD} --json-status-fd ${STATUS_FD} --remount-ro /dev --remount-ro /`),
  ];
}

function workFolder({ path, access }: NonNullable<SandboxView['folder']>): string[] {
  return [access === 'write' ? '--bind' : '--ro-bind', path, WORK, '--chdir', WORK];
}

function words(text: string): string[] {
  return text.split(' ');
}

// Links into /usr on most systems, folders of their own on others.
function systemFolder(name: string): string[] {
  const stats = lstatSync(`/${name}`, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  return stats.isSymbolicLink()
    ? ['--symlink', readlinkSync(`/${name}`), `/${name}`]
    : ['--ro-bind', `/${name}`, `/${name}`];
}

/**
 * Returns the command with its limits, which are set inside: there they count the processes of the sandbox alone. The
 * system ends it before anything else when memory runs out.
 */
export function limitedCommand(command: readonly string[], { memory, processes }: SandboxLimits): string[] {
  const limits = {
    nproc: processes,
    fsize: MAX_FILE,
    nofile: MAX_DESCRIPTORS,
    core: 0,
    data: Math.max(MIN_DATA, 2 * memory),
  };
  return [
    '/usr/bin/prlimit',
    ...Object.entries(limits).map(([name, value]) => `--${name}=${value}`),
    '--',
    '/bin/sh',
    '-c',
    'echo 1000 > /proc/self/oom_score_adj; exec "$@"',
    'sh',
    ...command,
  ];
}
