import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { consoleStamp, stampOf } from '../../../scripts/console/console-stamp.ts';
import { checkout } from '../../../scripts/stack/core/checkout.ts';

/** After so long a lock is taken for one whose holder has died. */
const STALE_MS = 120_000;

/**
 * Returns the folder of the console as it is in the working tree, built first if its sources have changed: once,
 * however many test files ask for it at the same time.
 */
export async function builtConsole(): Promise<string> {
  const folder = join(checkout, 'console/dist');
  const lock = `${folder}.lock`;
  while (stampOf(folder) !== consoleStamp()) {
    if (!takeLock(lock)) {
      await pause(100);
      continue;
    }
    try {
      await build(folder);
    } finally {
      rmSync(lock, { recursive: true });
    }
  }
  return folder;
}

async function build(folder: string): Promise<void> {
  const script = join(checkout, 'scripts/console/build.ts');
  await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', script, folder]);
}

/** Takes a lock that only one process holds at a time; false when another one has it. */
function takeLock(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - since > STALE_MS) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}
