import { join } from 'node:path';

import { withProgress } from '../../core/progress.ts';
import { runCommand } from '../../core/run-command.ts';
import { isAtLeast, temporalModule } from './temporal-versions.ts';

/**
 * Builds the command `temporal` into a folder with the installed Go toolchain. Resolves to undefined when that worked,
 * else to the reason why it did not. Takes minutes, and says so.
 */
export async function buildTemporal(options: {
  goVersion: string;
  folder: string;
  say: (line: string) => void;
  env?: NodeJS.ProcessEnv;
  signal?: AbortSignal | undefined;
}): Promise<string | undefined> {
  const { goVersion, folder, say, env = process.env, signal } = options;
  // Asked inside the module, an older Go fetches the version that the module wants, unless GOTOOLCHAIN forbids it.
  const version = await runCommand('go', ['env', 'GOVERSION'], { cwd: temporalModule, env, signal });
  if (version.code === undefined) return 'no Go toolchain is installed';
  const found = /^go(\d[\d.]*)/m.exec(version.output)?.[1];
  if (version.code !== 0 || found === undefined || !isAtLeast(found, goVersion)) {
    return `the installed Go toolchain cannot provide Go ${goVersion}${found === undefined ? '' : ` (it is ${found})`}`;
  }
  say('Building the Temporal server with Go. This is done once and takes some minutes ...');
  const build = await withProgress(
    say,
    (elapsed) => `  still building after ${elapsed}`,
    () =>
      runCommand(
        'go',
        ['build', '-ldflags', '-s -w', '-o', join(folder, 'temporal'), 'github.com/temporalio/cli/cmd/temporal'],
        {
          cwd: temporalModule,
          // Needs no C compiler, and runs whatever the C library.
          env: { ...env, CGO_ENABLED: '0' },
          signal,
        },
      ),
  );
  return build.code === 0 ? undefined : `the build failed: ${build.output.trim().split('\n').slice(-3).join(' ')}`;
}
