import { mkdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SandboxCommand, type SandboxEnding, SandboxFault } from './launch.ts';
import type { SandboxLimits } from './profile.ts';

/** Tells what a command finds inside, in lines that are read outside. The names of namespaces come first. */
const LOOK = `
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

/** Runs a command that looks for what it must not find; returns what is wrong with the sandbox, if anything. */
export async function probe({ folder, limits, run }: Probed): Promise<string | undefined> {
  const [canary, work] = [join(folder, 'canary'), join(folder, 'probe')];
  writeFileSync(canary, '');
  mkdirSync(work, { recursive: true, mode: 0o700 });
  try {
    const ending = await run({
      command: ['/bin/sh', '-c', LOOK, 'sh', canary],
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
