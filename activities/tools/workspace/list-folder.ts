import type { Folder } from './descriptors/folder.ts';
import { isTemporary } from './descriptors/replace-file.ts';
import { type Found, walk } from './descriptors/walk.ts';
import type { Entry, Workspace } from './workspace.ts';

/** Names that one listing looks at. */
const MAX_NAMES = 20_000;

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
