import { lstat } from 'node:fs/promises';
import { ToolFailure } from '../tool-failure.ts';
import { errnoOf, type Folder, withOpen } from './descriptors/folder.ts';
import { isTemporary } from './descriptors/replace-file.ts';
import { type Found, walk } from './descriptors/walk.ts';
import type { WorkspacePath } from './workspace-path.ts';
import type { Entry, Workspace } from './workspace.ts';

const MAX_DEPTH = 64;
const MAX_NAMES = 20_000;
const MAX_LEVELS = 32;

/** A file or folder with what is in it; links and the like are left out. */
export interface Tree {
  readonly isFolder: boolean;
  /** Relative to it, each folder before its contents; the file itself is the empty path. */
  readonly folders: readonly WorkspacePath[];
  readonly files: readonly WorkspacePath[];
  readonly bytes: number;
}

/** Returns the entry of this name; undefined when there is none. */
export async function readTree(folder: Folder, name: string, signal: AbortSignal): Promise<Tree | undefined> {
  const stats = await lstatOf(folder, name);
  if (stats === undefined) return undefined;
  if (stats.isFile()) return { isFolder: false, folders: [], files: [[]], bytes: stats.size };
  if (!stats.isDirectory()) throw new ToolFailure('denied', 'Only files and folders can be moved or copied');
  const options = { maxDepth: MAX_DEPTH, limit: MAX_NAMES };
  const { entries, isCut } = await withOpen(folder.open(name), (inner) => listFolder(inner, '', options, signal));
  if (isCut) throw new ToolFailure('invalid_input', 'The folder contains too much to be moved or copied at once');
  const pathsOf = (type: 'file' | 'folder') =>
    entries.filter((entry) => entry.type === type).map((entry) => entry.path.split('/'));
  const bytes = entries.reduce((sum, { size }) => sum + size, 0);
  return { isFolder: true, folders: pathsOf('folder'), files: pathsOf('file'), bytes };
}

/** Rejects a new path under which the tree would reach deeper than paths may. */
export function requireShallow({ folders, files }: Tree, to: WorkspacePath): void {
  const levels = [...folders, ...files].reduce((most, path) => Math.max(most, path.length), 0);
  if (to.length + levels <= MAX_LEVELS) return;
  throw new ToolFailure('invalid_input', `Its files would be more than ${MAX_LEVELS} levels deep there`);
}

/** Rejects a new path at which something is that may not be replaced. */
export async function requireFree(
  folder: Folder,
  name: string,
  { isFolder, overwrite, wasBegun }: { isFolder: boolean; overwrite: boolean; wasBegun: boolean },
): Promise<void> {
  const stats = await lstatOf(folder, name);
  if (stats === undefined) return;
  // Left by an earlier attempt.
  if (wasBegun && stats.isDirectory() === isFolder) return;
  if (stats.isDirectory())
    throw new ToolFailure('invalid_input', 'There already is a folder at `to`; give the whole new path, with its name');
  if (isFolder || !stats.isFile())
    throw new ToolFailure('invalid_input', 'There already is something at `to` that cannot be replaced');
  if (!overwrite)
    throw new ToolFailure('invalid_input', 'There already is a file at `to`; `overwrite` says that it may be replaced');
}

async function lstatOf(folder: Folder, name: string) {
  try {
    return await lstat(folder.at(name));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Lists a folder; the paths of its entries begin with `prefix`. */
export async function listFolder(
  folder: Folder,
  prefix: string,
  { maxDepth, limit }: Parameters<Workspace['list']>[1],
  signal: AbortSignal,
) {
  const entries: Entry[] = [];
  let names = 0;
  for await (const found of walk(folder, { maxDepth, maxNames: MAX_NAMES })) {
    signal.throwIfAborted();
    names += 1;
    if (isTemporary(found.name)) continue;
    if (entries.length === limit) return { entries, isCut: true };
    entries.push(toEntry(prefix, found));
  }
  return { entries, isCut: names >= MAX_NAMES };
}

function toEntry(prefix: string, { path, stats }: Found): Entry {
  return {
    path: `${prefix}${path}`,
    type: typeOf(stats),
    size: stats.isFile() ? stats.size : 0,
    modifiedAt: stats.mtime,
  };
}

function typeOf(stats: Found['stats']): Entry['type'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'folder';
  return stats.isSymbolicLink() ? 'link' : 'other';
}
