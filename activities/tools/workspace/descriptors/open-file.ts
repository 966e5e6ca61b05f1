import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile as copyWhole, type FileHandle, lstat, open, rename, unlink } from 'node:fs/promises';
import { ToolFailure } from '../../tool-failure.ts';
import { type Folder, withOpen } from './folder.ts';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** Opens a plain file of the folder for reading. Links, pipes, devices and files with a second name are rejected. */
export async function openFile(folder: Folder, name: string): Promise<FileHandle> {
  // Checked before opening, because opening alone makes some devices act; the opened file decides.
  rejectOthers(await lstat(folder.at(name)));
  // Without O_NONBLOCK a pipe would make the process wait for a writer.
  const handle = await open(folder.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    rejectOthers(await handle.stat());
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function rejectOthers(stats: Awaited<ReturnType<typeof lstat>>): void {
  if (stats.isSymbolicLink()) throw new ToolFailure('denied', 'The path names a link; links are not followed');
  if (stats.isDirectory()) throw new ToolFailure('invalid_input', 'The path names a folder');
  if (!stats.isFile()) throw new ToolFailure('denied', 'The path names something that is not a file');
  // Another of its names may be outside the workspace.
  if (stats.nlink > 1) throw new ToolFailure('denied', 'The file has more than one name (hard links)');
}

/** Reads a file of a folder; refuses one of more than `maxBytes`. */
export function readWhole(folder: Folder, name: string, maxBytes: number): Promise<Buffer> {
  return withOpen(openFile(folder, name), async (handle) => {
    // The file may grow while it is read, so what is read is bounded, not only its reported size.
    const buffer = Buffer.allocUnsafe(Math.min((await handle.stat()).size, maxBytes) + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, null);
      if (bytesRead === 0) return buffer.subarray(0, length);
      length += bytesRead;
    }
    if (length > maxBytes) throw new ToolFailure('invalid_input', `The file is larger than ${maxBytes} bytes`);
    throw new ToolFailure('upstream', 'The file is being written; try again');
  });
}

/** An entry: its name, and the folder that it is in. */
interface EntryRef {
  readonly folder: Folder;
  readonly name: string;
}

/** Copies a plain file over the entry at `to`, if any: a reader sees the old or the new one. */
export async function copyFile(from: EntryRef, to: EntryRef): Promise<void> {
  const temporary = `.everturn-${randomUUID()}.tmp`;
  try {
    await withOpen(openFile(from.folder, from.name), async ({ fd }) => {
      const source = process.platform === 'linux' ? `/proc/self/fd/${fd}` : from.folder.at(from.name);
      await copyWhole(source, to.folder.at(temporary), constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    });
    // Before the rename: after a power cut there is the old file or the new one, not an empty one.
    await withOpen(open(to.folder.at(temporary), 'r'), (handle) => handle.datasync());
    await rename(to.folder.at(temporary), to.folder.at(to.name));
  } catch (error) {
    await unlink(to.folder.at(temporary)).catch(() => undefined);
    throw error;
  }
  await to.folder.sync();
}
