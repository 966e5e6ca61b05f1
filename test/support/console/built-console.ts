import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { consoleStamp, stampOf } from '../../../scripts/console/console-stamp.ts';
import { checkout } from '../../../scripts/stack/core/checkout.ts';

/** Returns the folder of the console as it is in the working tree, built first if its sources have changed. */
export async function builtConsole(): Promise<string> {
  const folder = join(checkout, 'console/dist');
  if (stampOf(folder) === consoleStamp()) return folder;
  const script = join(checkout, 'scripts/console/build.ts');
  await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', script, folder]);
  return folder;
}
