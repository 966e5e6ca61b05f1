import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { ToolFailure } from '../../tool-failure.ts';
import type { Folder } from './folder.ts';

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
