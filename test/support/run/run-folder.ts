import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, statSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { waitUntil } from '../../../scripts/stack/core/wait.ts';
import { processIdentity, readRunRecord, signalProcess, writeRunRecord } from '../../../scripts/stack/processes.ts';

const PREFIX = 'everturn-test-run-';
/** How long the processes have to end in order: PostgreSQL writes a checkpoint, a supervisor stops its parts. */
const LIMIT_MS = 20_000;
/**
 * A file system in memory. A run clones some hundred databases of 1,500 files each, and makes as many others: a file
 * costs a disk ten times as much processor time.
 */
const MEMORY = '/dev/shm';
/** What a whole run needs there, with room to spare. */
const MEMORY_BYTES = 6 * 1024 ** 3;

/** The folder of one run of the tests. Its processes have `data` in it as their TMPDIR, or on their command line. */
export interface RunFolder {
  readonly folder: string;
  /** In memory where there is room and no `TMPDIR` was chosen, else in the folder. */
  readonly data: string;
}

/** Makes the folder of a run, and records this process as the one that lives as long as the run does. */
export function makeRunFolder(): RunFolder {
  const folder = mkdtempSync(join(tmpdir(), PREFIX));
  writeRunRecord(recordIn(folder), process.pid);
  // Passable by others: as root, PostgreSQL runs under another user.
  chmodSync(folder, 0o711);
  const data = process.env['TMPDIR'] === undefined && hasRoomInMemory() ? inMemory(folder) : join(folder, 'data');
  mkdirSync(data, { mode: 0o711 });
  return { folder, data };
}

function hasRoomInMemory(): boolean {
  try {
    const mount = readFileSync('/proc/self/mounts', 'utf8').match(/^tmpfs \/dev\/shm tmpfs (\S+)/m)?.[1];
    const { bavail, bsize } = statfsSync(MEMORY);
    const isFit = mount !== undefined && !mount.split(',').includes('noexec');
    return isFit && Math.min(bavail * bsize, freemem()) >= MEMORY_BYTES;
  } catch {
    return false;
  }
}

function inMemory(folder: string): string {
  return join(MEMORY, basename(folder));
}

/** Ends what runs that were killed have left, and removes their data. */
export async function clearDeadRuns(): Promise<void> {
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith(PREFIX));
  await Promise.all(
    folders.map(async (name) => {
      const folder = join(tmpdir(), name);
      if (isDead(folder)) await endRun(folder);
    }),
  );
}

/** Whether it is known that the run has ended, and that it was one of this user. */
function isDead(folder: string): boolean {
  const record = statSync(recordIn(folder), { throwIfNoEntry: false });
  return record !== undefined && record.uid === process.geteuid?.() && readRunRecord(recordIn(folder)) === undefined;
}

/**
 * Ends every process of a run but this one, also those whose parent has died: asks first, kills those that take too
 * long. Then removes the run's data.
 */
export async function endRun(folder: string): Promise<void> {
  const asked = new Set<string>();
  const hasEnded = () => {
    const left = processesOf(folder);
    for (const { pid, identity } of left) {
      if (asked.has(identity)) continue;
      asked.add(identity);
      // SIGINT is PostgreSQL's fast shutdown; to all others it is what SIGTERM is.
      signalProcess(pid, 'SIGINT');
    }
    return left.length === 0;
  };
  if (!(await waitUntil(hasEnded, { limitMs: LIMIT_MS, everyMs: 100 })))
    for (const { pid } of processesOf(folder)) signalProcess(pid, 'SIGKILL');
  for (const each of [inMemory(folder), folder]) rmSync(each, { recursive: true, force: true, maxRetries: 5 });
}

function recordIn(folder: string): string {
  return join(folder, 'pid');
}

function processesOf(folder: string): { readonly pid: number; readonly identity: string }[] {
  const pids = process.platform === 'linux' ? fromProc(folder) : fromPs(folder);
  return pids.flatMap((pid) => {
    const identity = pid === process.pid ? undefined : processIdentity(pid);
    return identity === undefined ? [] : [{ pid, identity: `${pid} ${identity}` }];
  });
}

function fromProc(folder: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const names = (pid: string, file: string) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`).includes(basename(folder));
    } catch {
      return false;
    }
  };
  return pids.filter((pid) => names(pid, 'environ') || names(pid, 'cmdline')).map(Number);
}

function fromPs(folder: string): number[] {
  const { stdout } = spawnSync('ps', ['-axEww', '-o', 'pid=,command='], { encoding: 'utf8' });
  return stdout.split('\n').flatMap((line) => (line.includes(basename(folder)) ? [Number.parseInt(line, 10)] : []));
}
