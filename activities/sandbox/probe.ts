import { execFile } from 'node:child_process';
import { accessSync, constants, mkdirSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type SandboxCommand, type SandboxEnding, SandboxFault } from './launch.ts';
import type { SandboxLimits } from './profile.ts';

/** Prints what a command finds inside, in lines that are read outside. The names of namespaces come first. */
const PROBE = `
cd /proc/self/ns && for name in user pid net mnt ipc uts; do echo "ns-$name $(readlink $name)"; done; cd /tmp
while read -r name value; do echo "status-$name $value"; done < /proc/self/status
while read -r max name value rest; do echo "limit-$name $value"; done < /proc/self/limits
for path in /proc/[0-9]*; do echo "process $path"; done
for path in /proc/self/fd/*; do echo "descriptor \${path##*/}"; done
tr '\\0' '\\n' < /proc/1/environ | while read -r line; do case $line in PWD=*) ;; *) echo "outer-setting $line" ;; esac; done
test -e "$1" && echo canary-seen
touch /writable 2>/dev/null && echo root-writable
touch /usr/writable 2>/dev/null && echo system-writable
touch /tmp/writable && echo temporary-writable
touch /work/writable && echo work-writable`;

const NAMESPACES = ['user', 'pid', 'net', 'mnt', 'ipc', 'uts'];

/** The first process, the shell of the probe, and what it has just started. */
const MAX_PROCESSES_SEEN = 8;
const PROBE_LIMIT_MS = 10_000;

interface Probed {
  /** A folder of the service that no command may see. */
  readonly folder: string;
  readonly limits: SandboxLimits;
  readonly run: (command: SandboxCommand) => Promise<SandboxEnding>;
}

/** Runs a command that searches for what it must not find; returns what is wrong with the sandbox, if anything. */
export async function probe({ folder, limits, run }: Probed): Promise<string | undefined> {
  const [canary, work] = [join(folder, 'canary'), join(folder, 'probe')];
  writeFileSync(canary, '');
  mkdirSync(work, { recursive: true, mode: 0o700 });
  try {
    const ending = await run({
      command: ['/bin/sh', '-c', PROBE, 'sh', canary],
      folder: { path: work, access: 'write' },
      timeoutMs: PROBE_LIMIT_MS,
    });
    if (ending.exitCode === null) return 'the sandbox did not answer in time';
    return faultIn(ending.stdout.toString(), limits) ?? (ending.exitCode === 0 ? undefined : wordsOf(ending));
  } catch (error) {
    if (error instanceof SandboxFault) return error.message;
    throw error;
  }
}

function wordsOf({ stderr }: SandboxEnding): string {
  return `the sandbox cannot run commands: ${stderr.toString().trim().slice(-300)}`;
}

function faultIn(seen: string, { processes }: SandboxLimits): string | undefined {
  const lines = seen.split('\n');
  const valueOf = (name: string) => lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1);
  const count = (name: string) => lines.filter((line) => line.startsWith(`${name} `)).length;
  const faults: Readonly<Record<string, boolean>> = {
    'commands share a namespace with the service': NAMESPACES.some((name) => {
      const inside = valueOf(`ns-${name}`);
      return !inside || inside === readlinkSync(`/proc/self/ns/${name}`);
    }),
    'system calls are not filtered': valueOf('status-Seccomp:') !== '2',
    'commands may gain rights': valueOf('status-NoNewPrivs:') !== '1' || !/^0+$/.test(valueOf('status-CapEff:') ?? ''),
    // It maps the user to the same id.
    'commands run as root': /^0\b/.test(valueOf('status-Uid:') ?? '0'),
    'the number of processes is not limited': valueOf('limit-processes') !== String(processes),
    'commands see processes of the machine': count('process') === 0 || count('process') > MAX_PROCESSES_SEEN,
    // The fourth is the listing itself.
    'commands hold descriptors of the service': count('descriptor') > 4,
    'commands see the settings of the service': count('outer-setting') > 0,
    'commands see files of the service': lines.includes('canary-seen'),
    'commands can change the system': lines.includes('root-writable') || lines.includes('system-writable'),
    'commands have no temporary folder': !lines.includes('temporary-writable'),
    'commands cannot write to the workspace': !lines.includes('work-writable'),
  };
  return Object.entries(faults).find(([, isFault]) => isFault)?.[0];
}

/** A bubblewrap that can be used, and a text that changes when its file does. */
export interface FoundBwrap {
  readonly path: string;
  readonly stamp: string;
}

const run = promisify(execFile);
const SET_USER_ID = 0o4000;
const SEARCHED = ['/usr/bin', '/usr/local/bin', '/bin'];

/** The first version 0 that can forbid namespaces inside. */
const MIN_MINOR = 8;

/** Finds bubblewrap at the given path, or else where programs are installed; throws in words why it cannot be used. */
export async function findBwrap(given: string | undefined): Promise<FoundBwrap> {
  const path = given ?? SEARCHED.map((folder) => `${folder}/bwrap`).find(isExecutable);
  if (path === undefined) throw new Error('bubblewrap is not installed');
  const stamp = stampOf(path);
  if (stamp === undefined || !isExecutable(path)) throw new Error(`${path} is not there or cannot be run`);
  if (becomesRoot(path)) throw new Error(`${path} runs as root (setuid), which the sandbox does not allow`);
  if (!isNewEnough(await versionOf(path))) throw new Error(`${path} is not bubblewrap 0.8 or later`);
  return { path, stamp };
}

function becomesRoot(path: string): boolean {
  const { uid, mode } = statSync(path);
  return uid === 0 && (mode & SET_USER_ID) !== 0;
}

function isNewEnough(version: string): boolean {
  const [, major, minor] = /^bubblewrap (\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) > 0 || (major === '0' && Number(minor) >= MIN_MINOR);
}

/** Returns a text that changes when the file is replaced or changed; undefined when there is none. */
export function stampOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && [stats.dev, stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs, stats.mode].join(' ');
}

/** Returns whether a program is there and this process may run it. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function versionOf(path: string): Promise<string> {
  try {
    return (await run(path, ['--version'], { env: {}, timeout: 5_000 })).stdout;
  } catch {
    return '';
  }
}

/** Errors of hosts that do not let programs isolate themselves, and how an operator fixes them. */
const REMEDIES: readonly (readonly [sign: RegExp, remedy: string])[] = [
  [/not installed|is not there|is not bubblewrap/, 'install bubblewrap 0.8 or later (apt install bubblewrap)'],
  [
    /setting up uid map|loopback: Failed RTM_NEWADDR/,
    'AppArmor forbids user namespaces: give bwrap a profile with "userns,", or set kernel.apparmor_restrict_unprivileged_userns=0',
  ],
  [
    /No permissions to create (?:a )?new namespace|Creating new namespace failed: Operation not permitted/,
    'the container may not make namespaces: run the worker with security_opt seccomp=deploy/seccomp-sandbox.json and apparmor=unconfined',
  ],
  [/mount proc/, 'the container masks /proc: run the worker with security_opt systempaths=unconfined'],
  [/ENOSPC|nesting depth|max_user_namespaces/, 'set the sysctl user.max_user_namespaces above 0'],
  [/EACCES/, 'the user that commands run as must be able to run bubblewrap'],
  [/^(?:unshare|mount|setpriv|chown):/m, 'root may not mount here: run the worker as an ordinary user'],
];

/** Returns why there is no sandbox, with what an operator can do about it. */
export function withRemedy(problem: string): string {
  const remedy = REMEDIES.find(([sign]) => sign.test(problem))?.[1] ?? 'see docs/sandbox.md';
  return `${problem}; ${remedy}`;
}
