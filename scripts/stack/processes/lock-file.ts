import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';

import { errorCode } from '../core/error-code.ts';
import { processIdentity } from './process-identity.ts';
import { readRunRecord } from './run-record.ts';

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
      // A third start was quicker; its lock stands.
    }
  }
  rmSync(aside, { force: true });
}
