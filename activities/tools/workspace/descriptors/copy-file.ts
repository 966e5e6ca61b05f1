import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile as copyWhole, open, rename, unlink } from 'node:fs/promises';
import type { Folder } from './folder.ts';
import { holding } from './holding.ts';
import { openFile } from './open-file.ts';

/** An entry: its name, and the folder that it is in. */
export interface Place {
  readonly folder: Folder;
  readonly name: string;
}

/** Copies a plain file over the entry at `to`, if any: a reader sees the old or the new one. */
export async function copyFile(from: Place, to: Place): Promise<void> {
  const temporary = `.everturn-${randomUUID()}.tmp`;
  try {
    await holding(openFile(from.folder, from.name), async ({ fd }) => {
      const source = process.platform === 'linux' ? `/proc/self/fd/${fd}` : from.folder.at(from.name);
      await copyWhole(source, to.folder.at(temporary), constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    });
    // Before the rename: after a power cut there is the old file or the new one, not an empty one.
    await holding(open(to.folder.at(temporary), 'r'), (handle) => handle.datasync());
    await rename(to.folder.at(temporary), to.folder.at(to.name));
  } catch (error) {
    await unlink(to.folder.at(temporary)).catch(() => undefined);
    throw error;
  }
  await to.folder.sync();
}
