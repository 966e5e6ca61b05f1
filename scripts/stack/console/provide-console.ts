import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { consoleStamp, lastBuilt, stampOf } from '../../console/console-stamp.ts';
import { checkout } from '../core/checkout.ts';
import { runCommand } from '../core/run-command.ts';
import type { StartContext } from '../start-context.ts';

/**
 * Returns the folder of the console, which is built first if its sources have changed. A build that fails is told and
 * logged, and keeps nothing else from starting: the last build is served then, and undefined returned without one.
 */
export async function provideConsole({ home, say, openLog, stopping }: StartContext): Promise<string | undefined> {
  const stamp = consoleStamp();
  const ofCode = join(checkout, 'console/dist');
  const ofHome = join(home.folder, 'console');
  const folders = [ofCode, ofHome];
  const built = folders.find((folder) => stampOf(folder) === stamp);
  if (built !== undefined) return built;
  const target = isWritable(join(checkout, 'console')) ? ofCode : ofHome;
  const script = join(checkout, 'scripts/console/build.ts');
  const { code, output } = await runCommand(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', script, target],
    {
      cwd: checkout,
      // The output is for a file.
      env: { ...process.env, NO_COLOR: '1' },
      signal: stopping,
    },
  );
  if (code === 0) return target;
  if (stopping.aborted) return undefined;
  const log = openLog('console');
  log.write(output);
  const last = lastBuilt(folders);
  const served = last === undefined ? 'there is no earlier build to serve' : 'an earlier build is served';
  say(`The console could not be built; ${served}, and all else works. See ${log.path}`);
  return last;
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
