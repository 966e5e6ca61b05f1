import { accessSync, constants, statSync } from 'node:fs';

import { runCommand } from '../../core/run-command.ts';

/** Tells whether this process may run a file. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Resolves to the version of the server inside a command; undefined when it does not run or is no Temporal command. */
export async function serverVersionOf(path: string): Promise<string | undefined> {
  const { code, output } = await runCommand(path, ['--version']);
  return code === 0 ? /Server (\d+\.\d+\.\d+)/.exec(output)?.[1] : undefined;
}
