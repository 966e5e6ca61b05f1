import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../scripts/stack/core/run-command.ts';
import { cacheFolder } from '../../scripts/stack/home.ts';

/**
 * Installs the packages that only the bench needs, as the folder `source` lists them, once for each lock file. Returns
 * their folder in the cache.
 */
export async function installPackages(name: string, source: string): Promise<string> {
  const lock = await readFile(join(source, 'package-lock.json'));
  const folder = join(cacheFolder(), `bench-${name}-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  await mkdir(cacheFolder(), { recursive: true });
  const unfinished = await mkdtemp(`${folder}-`);
  try {
    for (const file of ['package.json', 'package-lock.json'])
      await copyFile(join(source, file), join(unfinished, file));
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    const { code, output } = await runCommand('npm', ['ci', '--prefix', unfinished, ...options], { cwd: unfinished });
    if (code !== 0) throw new Error(`the packages of ${name} could not be installed:\n${output}`);
    await rename(unfinished, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return folder;
}
