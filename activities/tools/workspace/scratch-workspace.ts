import { readdir, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '../../sandbox/index.ts';
import { openWorkspace } from './open-workspace.ts';
import { foldersOf } from './workspace-path.ts';
import type { Workspace } from './workspace.ts';

/** The folder of all scratch workspaces, beside those of organizations. */
const FOLDER = 'trials';

const QUOTA = { bytes: 200 * 1024 ** 2, files: 2_000 };

/** A workspace for one call that no chat makes. */
export interface ScratchWorkspace {
  readonly workspace: Workspace;
  /** Removes it with all that is in it. */
  remove(): Promise<void>;
}

/** Opens an empty workspace on this machine, which belongs to no chat and counts with no organization's. */
export function openScratch(root: string, { orgId, id }: { readonly orgId: string; readonly id: string }) {
  const all = join(root, FOLDER);
  return {
    workspace: openWorkspace({ root: all, orgId, chatId: id, quota: QUOTA }),
    remove: async () => {
      for (const folder of Object.values(foldersOf(join(all, orgId, id)))) await removeTree(folder);
      // Others of the organization may be in it.
      await rmdir(join(all, orgId)).catch(() => undefined);
    },
  } satisfies ScratchWorkspace;
}

/** Removes what calls have left whose worker died: folders in which nothing was added for so long. */
export async function removeOldScratch(root: string, olderThanMs: number): Promise<void> {
  const all = join(root, FOLDER);
  for (const org of await namesIn(all)) {
    const folder = join(all, org);
    for (const name of await namesIn(folder)) {
      const stats = await stat(join(folder, name)).catch(() => undefined);
      if (stats !== undefined && stats.mtimeMs < Date.now() - olderThanMs) await removeTree(join(folder, name));
    }
    await rmdir(folder).catch(() => undefined);
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
