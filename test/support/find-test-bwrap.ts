import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../scripts/stack/home.ts';
import { isExecutable } from '../../scripts/stack/temporal/temporal-versions.ts';

const run = promisify(execFile);
/** Bubblewrap, and the libraries that a small system may lack. */
const PACKAGES = ['bubblewrap', 'libcap2', 'libselinux1', 'libpcre2-8-0'];
const LOADERS: Readonly<Record<string, string>> = {
  x64: '/lib64/ld-linux-x86-64.so.2',
  arm64: '/lib/ld-linux-aarch64.so.1',
};
const LIBRARIES: Readonly<Record<string, string>> = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' };

/** Where bubblewrap is for the tests, or why they have none. */
export type TestBwrap = { readonly path: string } | { readonly missing: string };

/** Finds bubblewrap on the PATH, or else fetches the package of Debian, for which nobody has to be root. */
export async function findTestBwrap(): Promise<TestBwrap> {
  if (process.platform !== 'linux') return { missing: `there is no bubblewrap on ${process.platform}` };
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const onPath = folders.map((folder) => join(folder, 'bwrap')).find(isExecutable);
  if (onPath !== undefined) return { path: onPath };
  try {
    const path = await makeReachable(await fetched());
    await run(path, ['--version']);
    return { path };
  } catch {
    return { missing: 'bubblewrap is not installed, and its Debian package cannot be had' };
  }
}

async function fetched(): Promise<string> {
  const cache = cacheFolder();
  const folder = join(cache, 'bubblewrap');
  if (isExecutable(join(folder, 'usr/bin/bwrap'))) return folder;
  await mkdir(cache, { recursive: true });
  const unfinished = await mkdtemp(join(cache, 'bubblewrap-'));
  try {
    await run('apt-get', ['download', ...PACKAGES], { cwd: unfinished, timeout: 60_000 });
    const archives = (await readdir(unfinished)).filter((name) => name.endsWith('.deb'));
    for (const name of archives) await run('dpkg-deb', ['-x', join(unfinished, name), unfinished]);
    await rename(unfinished, folder);
    return folder;
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}

// As root the commands run under another user, who does not see the cache. The libraries are named on the command line:
// a variable of the environment would show inside.
async function makeReachable(folder: string): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'bwrap-'));
  await cp(folder, copy, { recursive: true, filter: (path) => !path.endsWith('.deb') });
  await chmod(copy, 0o755);
  const libraries = ['lib', 'usr/lib'].map((name) => join(copy, name, LIBRARIES[process.arch] ?? ''));
  const path = join(copy, 'bwrap');
  const program = join(copy, 'usr/bin/bwrap');
  const loader = LOADERS[process.arch] ?? '';
  await writeFile(path, `#!/bin/sh\nexec ${loader} --library-path ${libraries.join(':')} ${program} "$@"\n`);
  await chmod(path, 0o755);
  return path;
}
