import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../scripts/stack/core/run-command.ts';
import { cacheFolder } from '../../scripts/stack/home/cache-folder.ts';

const PEERS = fileURLToPath(new URL('.', import.meta.url));

/** Installs the packages of the peers once for each lock file of theirs; returns their folder in the cache. */
export async function installPeers(): Promise<string> {
  const lock = await readFile(join(PEERS, 'package-lock.json'));
  const folder = join(cacheFolder(), `bench-peers-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  await mkdir(cacheFolder(), { recursive: true });
  const unfinished = await mkdtemp(`${folder}-`);
  try {
    for (const file of ['package.json', 'package-lock.json']) await copyFile(join(PEERS, file), join(unfinished, file));
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    const { code, output } = await runCommand('npm', ['ci', '--prefix', unfinished, ...options], { cwd: unfinished });
    if (code !== 0) throw new Error(`the packages of the peers could not be installed:\n${output}`);
    await rename(unfinished, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return folder;
}
