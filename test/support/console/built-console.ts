import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { consoleStamp, stampOf } from '../../../scripts/console/console-stamp.ts';
import { checkout } from '../../../scripts/stack/core/files.ts';
import { takeLock } from '../../../scripts/stack/processes.ts';
import { waitUntil } from '../wait-until.ts';

/** Far beyond what a build takes on a busy machine. */
const BUILD_LIMIT_MS = 600_000;

/**
 * Returns the folder of the console as it is in the working tree, built first if its sources have changed: once,
 * however many test files ask for it at the same time.
 */
export async function builtConsole(): Promise<string> {
  const folder = join(checkout, 'console/dist');
  const lockFile = join(checkout, 'node_modules/.cache/everturn/console-build.lock');
  mkdirSync(dirname(lockFile), { recursive: true });
  const stamp = consoleStamp();
  const buildOnce = async (): Promise<true | undefined> => {
    if (stampOf(folder) === stamp) return true;
    const lock = takeLock(lockFile);
    if (!lock.held) return undefined;
    await build(folder).finally(lock.release);
    return true;
  };
  await waitUntil('the console is built', buildOnce, BUILD_LIMIT_MS);
  return folder;
}

async function build(folder: string): Promise<void> {
  const script = join(checkout, 'scripts/console/build.ts');
  await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', script, folder]);
}
