import { lstat, opendir, rmdir, unlink } from 'node:fs/promises';
import { ToolFailure } from '../../tool-failure.ts';
import { errnoOf } from './errno.ts';
import { holding } from './holding.ts';
import type { Folder } from './folder.ts';

const MAX_DEPTH = 64;

/** Removes the entry with this name, a link as a link. With `recursive`, a folder with its contents. */
export async function remove(
  folder: Folder,
  name: string,
  { recursive }: { recursive: boolean },
  signal: AbortSignal,
): Promise<void> {
  if ((await lstat(folder.at(name))).isDirectory()) await removeFolder(folder, name, recursive ? MAX_DEPTH : 0, signal);
  else await unlink(folder.at(name));
}

async function removeFolder(parent: Folder, name: string, depth: number, signal: AbortSignal): Promise<void> {
  if (depth > 0) {
    if (depth === 1) throw new ToolFailure('invalid_input', `The folder is more than ${MAX_DEPTH - 1} levels deep`);
    await holding(parent.open(name), async (folder) => {
      for await (const entry of await opendir(folder.self)) {
        signal.throwIfAborted();
        await removeEntry(folder, entry.name, depth, signal);
      }
    });
  }
  await rmdir(parent.at(name));
}

async function removeEntry(folder: Folder, name: string, depth: number, signal: AbortSignal): Promise<void> {
  try {
    if ((await lstat(folder.at(name))).isDirectory()) await removeFolder(folder, name, depth - 1, signal);
    else await unlink(folder.at(name));
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}
