import { spawnSync } from 'node:child_process';
import { linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { errorCode } from './core/files.ts';
import { waitUntil } from './core/wait.ts';

/** A process that was started and noted in a file, so that a later run can find it when the starter has died. */
type RunRecord = { readonly pid: number; readonly identity: string };

/** Records a running process. Atomic: the file contains the old record or the new one. */
export function writeRunRecord(file: string, pid: number): void {
  const identity = processIdentity(pid);
  if (identity === undefined) return;
  writeFileSync(`${file}.new`, JSON.stringify({ pid, identity } satisfies RunRecord));
  renameSync(`${file}.new`, file);
}

/**
 * Returns the noted process if it is still the same and still runs. A process that merely got the same id is not taken
 * for it.
 */
export function readRunRecord(file: string): RunRecord | undefined {
  let record: unknown;
  try {
    record = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
  if (typeof record !== 'object' || record === null || !('pid' in record) || !('identity' in record)) return undefined;
  const { pid, identity } = record;
  if (typeof pid !== 'number' || typeof identity !== 'string') return undefined;
  return processIdentity(pid) === identity ? { pid, identity } : undefined;
}

/**
 * Stops what an earlier run left behind, and its process group, and removes the note. Asks first, kills when the time
 * is over. Resolves to true when there was something to stop.
 */
export async function stopRecorded(file: string, options: { limitMs: number }): Promise<boolean> {
  const record = readRunRecord(file);
  if (record !== undefined) {
    const isGone = (): boolean => processIdentity(record.pid) !== record.identity;
    signalProcess(record.pid, 'SIGTERM');
    if (!(await waitUntil(isGone, { limitMs: options.limitMs }))) {
      // A part leads its own process group, so this takes the helpers along that it has started.
      signalProcess(-record.pid, 'SIGKILL');
      signalProcess(record.pid, 'SIGKILL');
      await waitUntil(isGone, { limitMs: 5000 });
    }
  }
  rmSync(file, { force: true });
  return record !== undefined;
}

/** Sends a signal; ignores a process (or, for a negative id, a group) that is already gone. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}

let bootId: string | undefined;

/**
 * Returns a text that distinguishes a running process from every other that had or will have the same id: when it was
 * started, and in which boot. Undefined when no such process runs; a zombie counts as gone.
 */
export function processIdentity(pid: number): string | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return process.platform === 'linux' ? linuxIdentity(pid) : psIdentity(pid);
}

function linuxIdentity(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may contain spaces and brackets itself, so count from the last one: state is field 3, the
    // start field 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    bootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${bootId} ${fields[19]}`;
  } catch {
    return undefined;
  }
}

function psIdentity(pid: number): string | undefined {
  const { stdout } = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' });
  const [state, ...started] = (stdout ?? '').trim().split(/\s+/);
  if (state === undefined || state === '' || state.startsWith('Z')) return undefined;
  return started.join(' ');
}

/** Either the lock is ours until released, or another living process has it. */
export type LockResult = { readonly held: true; release(): void } | { readonly held: false; readonly by: number };

/**
 * Takes a lock that dies with this process, however it dies: a note of a process that no longer runs is passed over.
 */
export function takeLock(file: string): LockResult {
  const ours = `${file}.${process.pid}`;
  writeFileSync(ours, JSON.stringify({ pid: process.pid, identity: processIdentity(process.pid) ?? '' }));
  try {
    for (;;) {
      try {
        // Linking fails when the name is taken, and the file is complete from its first moment.
        linkSync(ours, file);
        return { held: true, release: () => rmSync(file, { force: true }) };
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') throw error;
      }
      const holder = readRunRecord(file);
      if (holder !== undefined) return { held: false, by: holder.pid };
      removeStale(file);
    }
  } finally {
    rmSync(ours, { force: true });
  }
}

function removeStale(file: string): void {
  // Two starts may both see the stale note. Who moves away a note that has become a living one puts it back.
  const aside = `${file}.stale-${process.pid}`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  if (readRunRecord(aside) !== undefined) {
    try {
      linkSync(aside, file);
    } catch {
      // A third start was quicker; its lock counts.
    }
  }
  rmSync(aside, { force: true });
}

/** One running process and the words it was started with, or the title it has given itself. */
export type CommandLine = { readonly pid: number; readonly words: readonly string[] };

/** Returns all processes that this user may see. On systems without /proc the words are split at spaces. */
export function commandLines(): CommandLine[] {
  if (process.platform !== 'linux') return fromPs();
  const found: CommandLine[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const words = commandLine(Number(name));
    if (words !== undefined) found.push({ pid: Number(name), words });
  }
  return found;
}

/** Returns the words of one process; undefined when it is gone or has none (a zombie, a thread of the kernel). */
export function commandLine(pid: number): readonly string[] | undefined {
  if (process.platform !== 'linux') return fromPs(pid)[0]?.words;
  try {
    const text = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replace(/\0+$/, '');
    return text === '' ? undefined : text.split('\0');
  } catch {
    return undefined;
  }
}

function fromPs(pid?: number): CommandLine[] {
  const { stdout } = spawnSync('ps', [...(pid === undefined ? ['-ax'] : ['-p', String(pid)]), '-o', 'pid=,command='], {
    encoding: 'utf8',
  });
  return (stdout ?? '').split('\n').flatMap((line) => {
    const [id, ...words] = line.trim().split(/\s+/);
    return id === undefined || words.length === 0 ? [] : [{ pid: Number(id), words }];
  });
}
