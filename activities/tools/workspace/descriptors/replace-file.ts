import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, opendir, rename, rmdir, unlink } from 'node:fs/promises';
import { ToolFailure } from '../../tool-failure.ts';
import { errnoOf, type Folder, withOpen } from './folder.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
const TEMPORARY = /^\.everturn-[0-9a-f-]{36}\.tmp$/;

/** Returns whether a name is that of a file being written. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name);
}

/**
 * Replaces the entry with this name, if any, by a whole file: a reader sees the old or the new one, and a crash leaves
 * one of the two.
 */
export async function replaceFile(folder: Folder, name: string, content: Uint8Array): Promise<{ wasThere: boolean }> {
  const old = await statFile(folder, name);
  const temporary = `.everturn-${randomUUID()}.tmp`;
  try {
    await writeNew(folder, temporary, content, (old?.mode ?? 0o600) & 0o777);
    await rename(folder.at(temporary), folder.at(name));
  } catch (error) {
    await unlink(folder.at(temporary)).catch(() => undefined);
    throw error;
  }
  await folder.sync();
  return { wasThere: old !== undefined };
}

/** Returns the entry with this name if it is a plain file; rejects an entry that can only be something else. */
export async function statFile(folder: Folder, name: string) {
  try {
    const stats = await lstat(folder.at(name));
    if (stats.isSymbolicLink()) throw new ToolFailure('denied', 'The path names a link; links are not followed');
    if (stats.isDirectory()) throw new ToolFailure('invalid_input', 'The path names a folder');
    if (!stats.isFile()) throw new ToolFailure('denied', 'The path names something that is not a file');
    return stats;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function writeNew(folder: Folder, name: string, content: Uint8Array, mode: number): Promise<void> {
  const handle = await open(folder.at(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  try {
    await handle.writeFile(content);
    // Before the rename: after a power cut there is the old file or the new one, not an empty one.
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

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
    await withOpen(parent.open(name), async (folder) => {
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
