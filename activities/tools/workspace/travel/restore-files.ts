import { createHash, randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rename, rmdir, symlink, unlink } from 'node:fs/promises';
import { readSmallContents, ROW_STORE } from '../../../../db/workspaces/contents.ts';
import type { SnapshotEntry, WorkspacePart } from '../../../../db/workspaces/snapshot.ts';
import { settleAll } from '../../../../domain/core/promises.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { errnoOf, type Folder, walkTo, withOpen } from '../descriptors/folder.ts';
import { remove } from '../descriptors/replace-file.ts';
import { foldersOf } from '../workspace-path.ts';
import { type ContentDeps, isSame, keyOf, type Known, type KnownEntry, stampOf } from './content-writer.ts';

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;
/** The bytes and the files whose contents are in memory at once. */
const BATCH_BYTES = 4 * 1024 ** 2;
const BATCH = 500;
/** Files of a folder that are written at once. */
const AT_ONCE = 16;
const never = new AbortController().signal;

interface Restoration {
  readonly orgId: string;
  /** The current entries. */
  readonly known: Known;
  /** The wanted entries. */
  readonly wanted: readonly SnapshotEntry[];
}

/** Makes the folders of a local copy match a snapshot, and returns their content. */
export async function restoreFiles(
  deps: ContentDeps,
  home: string,
  { orgId, known, wanted }: Restoration,
): Promise<Known> {
  const folders = foldersOf(home);
  const kept = new Map<string, KnownEntry>();
  const missing: SnapshotEntry[] = [];
  const byKey = new Map(wanted.map((entry) => [keyOf(entry), entry]));
  for (const [key, entry] of byKey) {
    const there = known.get(key);
    if (there !== undefined && isSame(there, entry)) kept.set(key, there);
    else missing.push(entry);
  }
  const obsolete = [...known.values()].filter((entry) => byKey.get(keyOf(entry))?.type !== entry.type);
  for (const entry of byDepth(obsolete).toReversed()) await removeEntry(folders[entry.part], entry);
  const made = byDepth(missing.filter(({ type }) => type === 'folder'));
  for (const { part, path } of made) await inFolder(folders[part], `${path}/`, async () => undefined);
  const files = missing.filter(({ type }) => type === 'file');
  const writing = new Writing(deps, orgId, folders);
  for (const batch of batchesOf(files)) await writing.write(batch);
  for (const entry of missing) if (entry.type === 'link') await writeLink(folders[entry.part], entry);
  for (const { part, path, mode } of made.toReversed()) await setMode(folders[part], path, mode);
  for (const entry of missing) kept.set(keyOf(entry), entry);
  for (const [entry, stats] of writing.written) kept.set(keyOf(entry), { ...entry, stamp: stampOf(stats) });
  return kept;
}

/** Writes files with their contents. */
class Writing {
  readonly written: (readonly [SnapshotEntry, Stats])[] = [];
  readonly #deps: ContentDeps;
  readonly #orgId: string;
  readonly #folders: Readonly<Record<WorkspacePart, string>>;

  constructor(deps: ContentDeps, orgId: string, folders: Readonly<Record<WorkspacePart, string>>) {
    this.#deps = deps;
    this.#orgId = orgId;
    this.#folders = folders;
  }

  async write(files: readonly SnapshotEntry[]): Promise<void> {
    const ids = files.flatMap(({ content }) => (content?.store === ROW_STORE ? [content.id] : []));
    const small = ids.length === 0 ? new Map() : await readSmallContents(this.#deps.database, this.#orgId, ids);
    const groups = Map.groupBy(files, ({ part, path }) => `${part}:${parentOf(path)}`);
    for (const group of groups.values()) {
      const [{ part, path } = { part: 'files', path: '' } as const] = group;
      await inFolder(this.#folders[part], path, async (folder) => {
        for (let start = 0; start < group.length; start += AT_ONCE)
          await settleAll(
            group.slice(start, start + AT_ONCE).map(async (each) => this.#writeFile(folder, each, small)),
          );
      });
    }
  }

  async #writeFile(folder: Folder, entry: SnapshotEntry, small: ReadonlyMap<string, Buffer>): Promise<void> {
    const temporary = `.everturn-${randomUUID()}.tmp`;
    const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
    await withOpen(open(folder.at(temporary), flags, 0o600), async (handle) => {
      await this.#fill(handle, entry, small);
      await handle.chmod(entry.mode);
      await handle.utimes(entry.modifiedAt, entry.modifiedAt);
    });
    const name = nameOf(entry.path);
    await rename(folder.at(temporary), folder.at(name));
    this.written.push([entry, await lstat(folder.at(name))]);
  }

  async #fill(handle: FileHandle, { content }: SnapshotEntry, small: ReadonlyMap<string, Buffer>): Promise<void> {
    if (content === null) return;
    const hash = createHash('sha256');
    const bytes = small.get(content.id);
    if (bytes !== undefined) {
      hash.update(bytes);
      await handle.writeFile(bytes);
    } else {
      const file = { orgId: this.#orgId, fileId: content.id };
      const store = this.#deps.files.ofWorkspaces.of(content);
      for await (const chunk of store.read(file, { start: 0, end: content.bytes - 1 })) {
        hash.update(chunk);
        await handle.writeFile(chunk);
      }
    }
    if (hash.digest('hex') !== content.digest)
      throw new ToolFailure('upstream', 'A stored file of the workspace is damaged');
  }
}

function* batchesOf(files: readonly SnapshotEntry[]): Generator<SnapshotEntry[], void, undefined> {
  let batch: SnapshotEntry[] = [];
  let bytes = 0;
  for (const file of files) {
    batch.push(file);
    if (file.content?.store === ROW_STORE) bytes += file.bytes;
    if (batch.length < BATCH && bytes < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

async function writeLink(root: string, { path, target }: SnapshotEntry): Promise<void> {
  await inFolder(root, path, async (folder) => {
    await unlessGone(unlink(folder.at(nameOf(path))));
    await symlink(target ?? '', folder.at(nameOf(path)));
  });
}

async function setMode(root: string, path: string, mode: number): Promise<void> {
  await inFolder(root, path, async (folder) => {
    const flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
    // Its own user can always enter it.
    await withOpen(open(folder.at(nameOf(path)), flags), async (handle) => handle.chmod(mode | 0o700));
  });
}

async function removeEntry(root: string, { path, type }: SnapshotEntry): Promise<void> {
  await unlessGone(
    inFolder(root, path, async (folder) => {
      const name = nameOf(path);
      if (type !== 'folder') return unlink(folder.at(name));
      return rmdir(folder.at(name)).catch(async (error: unknown) => {
        // It still contains entries that are no part of a snapshot.
        if (errnoOf(error) !== 'ENOTEMPTY') throw error;
        await remove(folder, name, { recursive: true }, never);
      });
    }),
  );
}

/** Works in the folder that an entry is in, which is made if necessary. */
async function inFolder<T>(root: string, path: string, work: (folder: Folder) => Promise<T>): Promise<T> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const names = path.split('/').slice(0, -1);
  // Stored paths come from a folder; nothing else may be created from them.
  if (path.split('/').some((name) => name === '.' || name === '..')) throw new Error('no path of a workspace');
  return withOpen(walkTo(root, names, 'make'), work);
}

function byDepth<T extends SnapshotEntry>(entries: readonly T[]): T[] {
  return entries.toSorted((one, other) => one.path.length - other.path.length);
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

async function unlessGone(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}
