import { copyFile, cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { run } from '../support/client-generators/generator.ts';
import type { ContainerStore } from './container-store.ts';

const npmSettings = z.object({ registry: z.url(), cafile: z.string().nullable() });

/**
 * Stores an image that stands in for the official one of Node.js, for machines that reach no registry of images: a
 * Debian of its packages, with the Node.js of the tests, npm with the registry of this machine, and the user `node`.
 */
export async function storeBaseImage(store: ContainerStore, name: string): Promise<void> {
  const root = join(store.folder, 'base');
  await run('debootstrap', ['--variant=minbase', 'bookworm', root]);
  const local = join(root, 'usr/local');
  await copyFile(process.execPath, join(local, 'bin/node'));
  await mkdir(join(local, 'lib/node_modules'), { recursive: true });
  const modules = (await run('npm', ['root', '--global'])).trim();
  await cp(join(modules, 'npm'), join(local, 'lib/node_modules/npm'), { recursive: true, verbatimSymlinks: true });
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
  const { registry, cafile } = npmSettings.parse(JSON.parse(await run('npm', ['config', 'list', '--json'])));
  if (cafile !== null) await copyFile(cafile, join(local, 'share/npm-ca.crt'));
  await writeFile(
    join(local, 'etc/npmrc'),
    `registry=${registry}\n${cafile === null ? '' : 'cafile=/usr/local/share/npm-ca.crt\n'}`,
  );
  await run('chroot', [root, 'groupadd', '--gid', '1000', 'node']);
  await run('chroot', [root, 'useradd', '--uid', '1000', '--gid', 'node', '--create-home', 'node']);
  const archive = join(store.folder, 'base.tar');
  await run('tar', ['--directory', root, '--create', '--file', archive, '.']);
  await store.podman('import', '--quiet', archive, name);
  await rm(archive);
  await rm(root, { recursive: true });
}
