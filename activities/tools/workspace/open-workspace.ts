import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolFailure } from '../tool-failure.ts';
import {
  copyMarks,
  type EditRecord,
  findRecord,
  hashOf,
  hasMarks,
  isMarked,
  markPath,
  markWhole,
  storeRecord,
} from './edit-record.ts';
import { copyFile, openFile, readWhole } from './descriptors/open-file.ts';
import { countMissing, errnoOf, type Folder, inWords, walkTo, withOpen } from './descriptors/folder.ts';
import { claimSpace, type Measured, type Quota, releaseSpace } from './quota.ts';
import { remove, replaceFile, statFile } from './descriptors/replace-file.ts';
import { foldersOf, isRepositoryInternal, type WorkspacePath } from './workspace-path.ts';
import { listFolder, readTree, requireFree, requireShallow, type Tree } from './tree.ts';
import type { LentFolder, Workspace } from './workspace.ts';

interface WorkspaceOptions {
  /** The folder of all workspaces; created when it is missing. */
  readonly root: string;
  readonly orgId: string;
  readonly chatId: string;
  readonly quota?: Partial<Quota>;
}

const QUOTA: Quota = { bytes: 1024 ** 3, files: 10_000 };
const ID = /^[0-9a-zA-Z-]{1,64}$/;
const CHUNK_BYTES = 256 * 1024;

/** Opens the workspace of a chat. Its folder is created by the first write. */
export function openWorkspace({ root, orgId, chatId, quota }: WorkspaceOptions): Workspace {
  if (!ID.test(orgId) || !ID.test(chatId)) throw new Error('a workspace is named by two ids');
  return new FolderWorkspace(join(root, orgId, chatId), { ...QUOTA, ...quota });
}

class FolderWorkspace implements Workspace {
  readonly #home: string;
  readonly #quota: Quota;

  constructor(home: string, quota: Quota) {
    this.#home = home;
    this.#quota = quota;
  }

  async read(path: WorkspacePath, maxBytes: number): Promise<Buffer> {
    return inWords(() => withOpen(this.#parentOf(path), (folder) => readWhole(folder, nameOf(path), maxBytes)));
  }

  async isForeign(path: WorkspacePath): Promise<boolean> {
    return this.#askMarks((marks) => isMarked(marks, path));
  }

  async *readChunks(path: WorkspacePath, signal: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
    const handle = await inWords(() => withOpen(this.#parentOf(path), (folder) => openFile(folder, nameOf(path))));
    try {
      for (;;) {
        signal.throwIfAborted();
        const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, null);
        if (bytesRead === 0) return;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await handle.close();
    }
  }

  async write(path: WorkspacePath, content: Uint8Array, options: Parameters<Workspace['write']>[2]) {
    return inWords(async () => {
      rejectRepositoryInternals(path);
      await this.#mark(path, options.isForeign);
      await this.#claim(content.length, options.createFolders ? path.slice(0, -1) : []);
      const name = nameOf(path);
      return withOpen(this.#parentOf(path, options.createFolders ? 'make' : 'open'), async (folder) => {
        if (!options.overwrite && (await statFile(folder, name)) !== undefined) {
          // A repeated call finds what it wrote the first time.
          if (await hasContent(folder, name, content)) return { wasThere: true };
          throw new ToolFailure('invalid_input', 'There already is a file at this path, and overwrite is false');
        }
        return replaceFile(folder, name, content);
      });
    });
  }

  async edit(
    path: WorkspacePath,
    { key, maxBytes, isForeign }: Parameters<Workspace['edit']>[1],
    change: Parameters<Workspace['edit']>[2],
  ) {
    return inWords(async () => {
      rejectRepositoryInternals(path);
      return withOpen(this.#parentOf(path), async (folder) => {
        const content = await readWhole(folder, nameOf(path), maxBytes);
        return withOpen(this.#beside(this.#recordsPath), async (records) => {
          const before = hashOf(content);
          if (wasMade(await findRecord(records, key), before)) return { wasDone: true };
          const changed = await change(content);
          // The new name is that of the record.
          await this.#claim(changed.length);
          await this.#mark(path, isForeign);
          await storeRecord(records, key, { before, after: hashOf(changed) });
          await replaceFile(folder, nameOf(path), changed);
          return { wasDone: false };
        });
      });
    });
  }

  async lend<T>(
    { isForeign, access }: Parameters<Workspace['lend']>[0],
    work: (folder: LentFolder) => Promise<T>,
  ): Promise<T> {
    const hasForeign = await this.#askMarks(hasMarks);
    const { bytes, files: names } = this.#quota;
    const lent = { path: this.#home, space: { bytes, names }, hasForeign };
    if (access === 'read') {
      await inWords(async () => withOpen(this.#walk([], 'make'), async () => undefined));
      return work(lent);
    }
    await inWords(async () => {
      await this.#claim(0);
      // Before it begins, like a mark before its content.
      if (isForeign || hasForeign) await withOpen(this.#beside(this.#marksPath), markWhole);
    });
    try {
      return await work(lent);
    } finally {
      await this.#release();
    }
  }

  async list(path: WorkspacePath, options: Parameters<Workspace['list']>[1], signal: AbortSignal) {
    return inWords(async () => {
      try {
        const prefix = path.map((name) => `${name}/`).join('');
        return await withOpen(this.#walk(path, 'open'), (folder) => listFolder(folder, prefix, options, signal));
      } catch (error) {
        // The first write creates the workspace; until then it is empty.
        if (path.length === 0 && errnoOf(error) === 'ENOENT') return { entries: [], isCut: false };
        throw error;
      }
    });
  }

  async move(from: WorkspacePath, to: WorkspacePath, options: Parameters<Workspace['move']>[2], signal: AbortSignal) {
    requireApart(from, to);
    return inWords(async () => {
      rejectRepositoryInternals(from);
      rejectRepositoryInternals(to);
      await withOpen(this.#parentOf(from), (source) =>
        withOpen(this.#beside(this.#recordsPath), async (records) => {
          const wasBegun = (await findRecord(records, options.key)) !== undefined;
          const tree = await readTree(source, nameOf(from), signal);
          if (tree === undefined && wasBegun && !options.isCopy) return;
          if (tree === undefined) throw new ToolFailure('not_found', 'There is nothing at `from`');
          requireShallow(tree, to);
          await this.#claimFor(tree, to, options);
          await this.#copyMarks(tree, from, to);
          await withOpen(this.#parentOf(to, 'make'), async (target) => {
            // A move that was made is known by the source that is gone.
            const isRepeated = wasBegun && options.isCopy;
            await requireFree(target, nameOf(to), { ...options, isFolder: tree.isFolder, wasBegun: isRepeated });
            await storeRecord(records, options.key, { before: hashOfPath(from), after: hashOfPath(to) });
            if (options.isCopy) await this.#copy(tree, from, to, signal);
            else await rename(source.at(nameOf(from)), target.at(nameOf(to)));
            await target.sync();
          });
        }),
      );
      await this.#release();
    });
  }

  async remove(path: WorkspacePath, options: { recursive: boolean }, signal: AbortSignal) {
    if (path.length === 0) throw new ToolFailure('denied', 'The workspace itself cannot be deleted');
    return inWords(async () => {
      rejectRepositoryInternals(path);
      try {
        await withOpen(this.#parentOf(path), (folder) => remove(folder, nameOf(path), options, signal));
        return true;
      } catch (error) {
        if (errnoOf(error) !== 'ENOENT') throw error;
        return false;
      } finally {
        await this.#release();
      }
    });
  }

  // The missing folders on its path count with the file.
  async #claim(bytes: number, folders: WorkspacePath = [], ownNames = 1): Promise<void> {
    await withOpen(this.#walk([], 'make'), async (home) => {
      const names = ownNames + (await countMissing(home, folders));
      await claimSpace(this.#measured(home), this.#quota, { bytes, names });
    });
  }

  // The record of the move has a name too.
  async #claimFor({ folders, files, bytes }: Tree, to: WorkspacePath, { isCopy }: { isCopy: boolean }): Promise<void> {
    const names = isCopy ? 2 + folders.length + files.length : 1;
    await this.#claim(isCopy ? bytes : 0, to.slice(0, -1), names);
  }

  async #copyMarks({ files }: Tree, from: WorkspacePath, to: WorkspacePath): Promise<void> {
    if (!(await this.#askMarks(hasMarks))) return;
    const pairs = files.map((path) => ({ from: [...from, ...path], to: [...to, ...path] }));
    await withOpen(this.#beside(this.#marksPath), (marks) => copyMarks(marks, pairs));
  }

  async #copy({ isFolder, folders, files }: Tree, from: WorkspacePath, to: WorkspacePath, signal: AbortSignal) {
    if (isFolder) await withOpen(this.#walk(to, 'make'), async () => undefined);
    for (const path of folders) await withOpen(this.#walk([...to, ...path], 'make'), async () => undefined);
    for (const path of files) {
      signal.throwIfAborted();
      const [source, target] = [
        [...from, ...path],
        [...to, ...path],
      ];
      await withOpen(this.#parentOf(source), (inSource) =>
        withOpen(this.#parentOf(target), (inTarget) =>
          copyFile({ folder: inSource, name: nameOf(source) }, { folder: inTarget, name: nameOf(target) }),
        ),
      );
    }
  }

  // The removal has happened in any case: the next write measures again.
  async #release(): Promise<void> {
    await withOpen(this.#walk([], 'open'), (home) => releaseSpace(this.#measured(home), this.#quota)).catch(
      () => undefined,
    );
  }

  #measured(folder: Folder): Measured {
    return { id: this.#home, folder, records: this.#recordsPath };
  }

  get #recordsPath(): string {
    return foldersOf(this.#home).edits;
  }

  get #marksPath(): string {
    return foldersOf(this.#home).marks;
  }

  async #askMarks(ask: (marks: Folder) => Promise<boolean>): Promise<boolean> {
    return inWords(async () => {
      try {
        return await withOpen(walkTo(this.#marksPath, [], 'open'), ask);
      } catch (error) {
        // Created with the first mark.
        if (errnoOf(error) === 'ENOENT') return false;
        throw error;
      }
    });
  }

  // Before the content is there, so that a crash between the two leaves no content without its mark.
  async #mark(path: WorkspacePath, isForeign: boolean): Promise<void> {
    if (isForeign) await withOpen(this.#beside(this.#marksPath), (marks) => markPath(marks, path));
  }

  #parentOf(path: WorkspacePath, way: 'open' | 'make' = 'open'): Promise<Folder> {
    return this.#walk(path.slice(0, -1), way);
  }

  async #walk(names: WorkspacePath, way: 'open' | 'make'): Promise<Folder> {
    if (way === 'make') await mkdir(this.#home, { recursive: true, mode: 0o700 });
    return walkTo(this.#home, names, way);
  }

  // Beside the workspace, where no tool writes.
  async #beside(path: string): Promise<Folder> {
    await mkdir(path, { recursive: true, mode: 0o700 });
    return walkTo(path, [], 'open');
  }
}

function nameOf(path: WorkspacePath): string {
  const name = path.at(-1);
  if (name === undefined)
    throw new ToolFailure('invalid_input', 'The path names the workspace itself, not a file in it');
  return name;
}

function requireApart(from: WorkspacePath, to: WorkspacePath): void {
  if (from.length === 0) throw new ToolFailure('denied', 'The workspace itself cannot be moved or copied');
  if (from.every((name, index) => to[index] === name))
    throw new ToolFailure('invalid_input', '`to` must not be `from`, nor be inside it');
}

function hashOfPath(path: WorkspacePath): string {
  return hashOf(Buffer.from(path.join('/')));
}

function rejectRepositoryInternals(path: WorkspacePath): void {
  if (!isRepositoryInternal(path)) return;
  throw new ToolFailure('denied', 'The contents of .git can be changed with git only');
}

// Returns whether an edit was made before; `before` is the current content.
function wasMade(known: EditRecord | undefined, before: string): boolean {
  if (known === undefined || known.before === before) return false;
  if (known.after === before) return true;
  throw new ToolFailure(
    'upstream',
    'The edit was interrupted, and the file has changed since, so it may or may not have been made. Read the file',
  );
}

async function hasContent(folder: Folder, name: string, content: Uint8Array): Promise<boolean> {
  try {
    return (await readWhole(folder, name, content.length)).equals(content);
  } catch {
    return false;
  }
}
