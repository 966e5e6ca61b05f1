import { constants, type Stats } from 'node:fs';
import { lstat, open, readlink } from 'node:fs/promises';
import type { WorkspacePart } from '../../../../db/workspaces/snapshot.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { errnoOf, type Folder, walkTo, withOpen } from '../descriptors/folder.ts';
import { isTemporary } from '../descriptors/replace-file.ts';
import { type Found, walk } from '../descriptors/walk.ts';
import { foldersOf } from '../workspace-path.ts';
import {
  type ContentWriter,
  isSame,
  keyOf,
  type Known,
  type KnownEntry,
  stampOf,
  textBytesOf,
} from './content-writer.ts';

/** A path below which something may have changed; the empty one is the whole part. */
export interface Touched {
  readonly part: WorkspacePart;
  readonly path: string;
  /** Whether what is below it may have changed too. Files there whose state is unchanged are not read again. */
  readonly isTree: boolean;
}

/** The differences from the snapshot. */
export interface Changes {
  readonly put: readonly KnownEntry[];
  readonly gone: readonly KnownEntry[];
  /** Those that are as they were, as they are known now. */
  readonly same: readonly KnownEntry[];
}

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
const MAX_DEPTH = 64;
const MAX_PATH_BYTES = 4096;
/** Commands are stopped soon after they exceed the quota, and what they leave then is kept up to these bounds. */
const MAX_NAMES = 30_000;
const MAX_BYTES = 1_200_000_000;
/** The total length of a snapshot's paths and link targets: a worker keeps them in memory while it has the copy. */
const MAX_TEXT_BYTES = 8_000_000;

/**
 * Compares what may have changed with what is known, and has the contents of changed files kept. Pipes, sockets and
 * devices are left out, and what the service cannot read. Throws `ToolFailure` when there is too much.
 */
export async function findChanges(
  home: string,
  {
    known,
    touched,
    contents,
  }: { readonly known: Known; readonly touched: readonly Touched[]; contents: ContentWriter },
): Promise<Changes> {
  const search = new Search(known, contents);
  for (const each of touched) await search.compare(foldersOf(home)[each.part], each);
  search.checkTexts();
  return search.changes;
}

class Search {
  readonly #known: Known;
  readonly #contents: ContentWriter;
  readonly #put = new Map<string, KnownEntry>();
  readonly #gone = new Map<string, KnownEntry>();
  readonly #same = new Map<string, KnownEntry>();
  #bytes = 0;
  #textBytes = 0;

  constructor(known: Known, contents: ContentWriter) {
    this.#known = known;
    this.#contents = contents;
  }

  get changes(): Changes {
    return { put: [...this.#put.values()], gone: [...this.#gone.values()], same: [...this.#same.values()] };
  }

  /** Throws when the paths and links of the next snapshot would be too long together. */
  checkTexts(): void {
    let bytes = this.#textBytes;
    for (const [key, entry] of this.#known)
      if (!this.#put.has(key) && !this.#gone.has(key)) bytes += textBytesOf(entry);
    requireShort(bytes);
  }

  async compare(root: string, { part, path, isTree }: Touched): Promise<void> {
    const names = path.split('/');
    const seen = await unlessMissing(async () =>
      path === ''
        ? withOpen(walkTo(root, [], 'open'), async (folder) => this.#seeAll(folder, part, ''))
        : withOpen(walkTo(root, names.slice(0, -1), 'open'), async (parent) =>
            this.#seeAt(parent, { part, path, name: names.at(-1) ?? '' }, isTree),
          ),
    );
    if (seen !== 'only itself') this.#miss(part, path, seen ?? new Set());
  }

  async #seeAt(parent: Folder, entry: { part: WorkspacePart; path: string; name: string }, isTree: boolean) {
    const { part, path, name } = entry;
    const stats = await lstat(parent.at(name));
    const isKept = await this.#see({ folder: parent, name, path, stats }, part, false);
    if (!stats.isDirectory()) return new Set(isKept ? [path] : []);
    if (!isTree) return 'only itself';
    const below = await withOpen(parent.open(name), async (folder) => this.#seeAll(folder, part, `${path}/`));
    return below.add(path);
  }

  async #seeAll(folder: Folder, part: WorkspacePart, prefix: string): Promise<Set<string>> {
    const seen = new Set<string>();
    let names = 0;
    for await (const found of walk(folder, { maxDepth: MAX_DEPTH, maxNames: MAX_NAMES })) {
      names += 1;
      if (names === MAX_NAMES) throw tooMuch(`${MAX_NAMES} files and folders`);
      const path = `${prefix}${found.path}`;
      if (await this.#see({ ...found, path }, part, true)) seen.add(path);
    }
    return seen;
  }

  /** Returns whether it is something that is kept. */
  async #see(found: Found, part: WorkspacePart, mayTrust: boolean): Promise<boolean> {
    const { name, path, stats } = found;
    if (isTemporary(name) || Buffer.byteLength(path) > MAX_PATH_BYTES) return false;
    const key = keyOf({ part, path });
    const before = this.#known.get(key);
    const stamp = stats.isFile() ? stampOf(stats) : undefined;
    if (mayTrust && stamp !== undefined && before?.stamp === stamp) return true;
    const entry = await this.#read(found, part);
    if (entry === undefined) return false;
    const same = before !== undefined && isSame(before, entry);
    if (same) this.#same.set(key, { ...before, stamp });
    else this.#keep(key, { ...entry, stamp });
    return true;
  }

  // Checked at once too: there may be many times as many as fit in a snapshot.
  #keep(key: string, entry: KnownEntry): void {
    this.#textBytes += textBytesOf(entry);
    requireShort(this.#textBytes);
    this.#put.set(key, entry);
  }

  async #read({ folder, name, path, stats }: Found, part: WorkspacePart): Promise<KnownEntry | undefined> {
    const base = { part, path, mode: stats.mode & 0o777, modifiedAt: new Date(Math.trunc(stats.mtimeMs)) };
    const empty = { ...base, bytes: 0, content: null, target: null };
    if (stats.isDirectory()) return { ...empty, type: 'folder' };
    return unlessMissing(async () => {
      if (stats.isSymbolicLink())
        return { ...empty, type: 'link', mode: 0o777, target: await readlink(folder.at(name)) };
      if (!stats.isFile()) return undefined;
      const content = await this.#contentOf(folder, name, stats);
      return { ...empty, type: 'file', bytes: content?.bytes ?? 0, content };
    });
  }

  // Other names of a file (hard links) are not outside: where commands run, the workspace is a mount of its own.
  async #contentOf(folder: Folder, name: string, { size }: Stats) {
    this.#bytes += size;
    if (this.#bytes > MAX_BYTES) throw tooMuch(`${MAX_BYTES} bytes`);
    return withOpen(open(folder.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK), async (handle) => {
      return (await handle.stat()).isFile() ? this.#contents.keep(handle) : null;
    });
  }

  #miss(part: WorkspacePart, path: string, seen: ReadonlySet<string>): void {
    const known = this.#known.get(keyOf({ part, path }));
    if (path !== '' && known?.type !== 'folder') {
      if (known !== undefined && !seen.has(path)) this.#gone.set(keyOf(known), known);
      return;
    }
    const prefix = path === '' ? '' : `${path}/`;
    for (const [key, entry] of this.#known) {
      if (entry.part !== part || seen.has(entry.path)) continue;
      if (entry.path === path || entry.path.startsWith(prefix)) this.#gone.set(key, entry);
    }
  }
}

function requireShort(bytes: number): void {
  if (bytes > MAX_TEXT_BYTES) throw tooMuch(`${MAX_TEXT_BYTES / 1e6} MB of paths and targets of links`);
}

function tooMuch(what: string): ToolFailure {
  return new ToolFailure(
    'denied',
    `The call left more than ${what} in the workspace, which cannot be kept: the workspace is as it was before`,
  );
}

// EACCES: what the service cannot read does not travel. The others: something else is there by now.
async function unlessMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'ENXIO'].includes(errnoOf(error))) return undefined;
    throw error;
  }
}
