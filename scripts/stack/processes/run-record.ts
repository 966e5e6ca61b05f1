import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

import { errorCode } from '../core/error-code.ts';
import { waitUntil } from '../core/wait.ts';
import { processIdentity } from './process-identity.ts';

/** A process that was started and noted in a file, so that a later run can find it when the starter has died. */
export type RunRecord = { readonly pid: number; readonly identity: string };

/** Notes a running process. Atomic: the file holds the old note or the new one. */
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
