import { readdir, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '../../sandbox/channels.ts';
import { openWorkspace } from './open-workspace.ts';
import { foldersOf, type WorkspacePath } from './workspace-path.ts';
import type { Entry, LentFolder, Workspace } from './workspace.ts';
import { UPLOADS } from '../../../domain/files.ts';
import { ToolFailure } from '../tool-failure.ts';

/** A file that users have added to the chat, or the text of one. */
export interface Upload {
  /** Its name below `uploads`. */
  readonly name: string;
  readonly size: number;
  readonly addedAt: Date;
  /** Yields its bytes in order. */
  read(signal: AbortSignal): AsyncGenerator<Buffer, void, undefined>;
}

/** Returns the uploads of a chat, by name. */
export type ListUploads = () => Promise<readonly Upload[]>;

/**
 * Adds the files that users have uploaded to a workspace, in the folder `uploads`. They are read where they are kept:
 * there is no copy that would outlive them. The folder is theirs: a tool that wrote there would lose its file to the
 * next upload of its name.
 */
export function withUploads(workspace: Workspace, list: ListUploads): Workspace {
  return new UploadsWorkspace(workspace, list);
}

/** The largest upload that is copied: it is in memory as a whole. */
const MAX_COPIED_BYTES = 32 * 1024 ** 2;
const never = new AbortController().signal;

class UploadsWorkspace implements Workspace {
  readonly #own: Workspace;
  readonly #uploads: ListUploads;

  constructor(own: Workspace, uploads: ListUploads) {
    this.#own = own;
    this.#uploads = uploads;
  }

  async read(path: WorkspacePath, maxBytes: number): Promise<Buffer> {
    const upload = await this.#find(path);
    if (upload === undefined) return this.#own.read(path, maxBytes);
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of upload.read(never)) {
      length += chunk.length;
      if (length > maxBytes) throw new ToolFailure('invalid_input', `The file is larger than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  // Nobody knows who wrote what a user uploads.
  async isForeign(path: WorkspacePath): Promise<boolean> {
    return (await this.#find(path)) !== undefined || this.#own.isForeign(path);
  }

  async *readChunks(path: WorkspacePath, signal: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
    const upload = await this.#find(path);
    yield* upload === undefined ? this.#own.readChunks(path, signal) : upload.read(signal);
  }

  async write(...[path, content, options]: Parameters<Workspace['write']>) {
    rejectBelowUploads(path);
    return this.#own.write(path, content, options);
  }

  async edit(...[path, options, change]: Parameters<Workspace['edit']>) {
    rejectBelowUploads(path);
    return this.#own.edit(path, options, change);
  }

  async move(...[from, to, options, signal]: Parameters<Workspace['move']>) {
    rejectBelowUploads(to);
    if ((await this.#find(from)) === undefined) {
      if (isFolder(from) && (await this.#uploads()).length > 0)
        throw new ToolFailure('denied', `The folder ${UPLOADS} cannot be moved or copied; copy the files in it`);
      return this.#own.move(from, to, options, signal);
    }
    if (!options.isCopy)
      throw new ToolFailure('denied', 'What users have uploaded cannot be moved; copy it, with `copy`');
    const content = await this.read(from, MAX_COPIED_BYTES);
    await this.#own.write(to, content, { overwrite: options.overwrite, createFolders: true, isForeign: true });
  }

  async remove(...[path, options, signal]: Parameters<Workspace['remove']>) {
    await this.#protect(path);
    return this.#own.remove(path, options, signal);
  }

  async lend<T>(options: Parameters<Workspace['lend']>[0], work: (folder: LentFolder) => Promise<T>): Promise<T> {
    return this.#own.lend(options, work);
  }

  async list(...[path, options, signal]: Parameters<Workspace['list']>) {
    const isRoot = path.length === 0;
    if (!isRoot && !isFolder(path)) return this.#own.list(path, options, signal);
    const uploads = await this.#uploads();
    if (uploads.length === 0) return this.#own.list(path, options, signal);
    const { entries, isCut } = await this.#ownEntries(path, options, signal);
    const added = isRoot && options.maxDepth === 1 ? [] : uploads.map(toEntry);
    const all = merge(entries, isRoot ? [folderOf(uploads), ...added] : added);
    return { entries: all.slice(0, options.limit), isCut: isCut || all.length > options.limit };
  }

  // The workspace itself may have no such folder.
  async #ownEntries(...[path, options, signal]: Parameters<Workspace['list']>) {
    try {
      return await this.#own.list(path, options, signal);
    } catch (error) {
      if (error instanceof ToolFailure && error.kind === 'not_found') return { entries: [], isCut: false };
      throw error;
    }
  }

  async #find(path: WorkspacePath): Promise<Upload | undefined> {
    if (path.length !== 2 || path[0] !== UPLOADS) return undefined;
    return (await this.#uploads()).find(({ name }) => name === path[1]);
  }

  // Files that tools have written there in earlier versions can be removed.
  async #protect(path: WorkspacePath): Promise<void> {
    const isUpload = isFolder(path) ? (await this.#uploads()).length > 0 : (await this.#find(path)) !== undefined;
    if (!isUpload) return;
    throw new ToolFailure('denied', 'What users have uploaded cannot be removed');
  }
}

function rejectBelowUploads([top]: WorkspacePath): void {
  if (top !== UPLOADS) return;
  throw new ToolFailure(
    'denied',
    `The folder ${UPLOADS} contains what users upload, and tools cannot write there; write to another path`,
  );
}

function isFolder(path: WorkspacePath): boolean {
  return path.length === 1 && path[0] === UPLOADS;
}

function toEntry({ name, size, addedAt }: Upload): Entry {
  return { path: `${UPLOADS}/${name}`, type: 'file', size, modifiedAt: addedAt };
}

function folderOf(uploads: readonly Upload[]): Entry {
  const modifiedAt = new Date(Math.max(...uploads.map(({ addedAt }) => addedAt.getTime())));
  return { path: UPLOADS, type: 'folder', size: 0, modifiedAt };
}

/**
 * Inserts the uploads where their folder belongs among the entries; those that a tool has written under such a name are
 * hidden.
 */
function merge(entries: readonly Entry[], added: readonly Entry[]): Entry[] {
  const paths = new Set(added.map(({ path }) => path));
  const others = entries.filter(({ path }) => !paths.has(path));
  const next = others.findIndex(({ path }) => (path.split('/')[0] ?? '') > UPLOADS);
  return next === -1 ? [...others, ...added] : [...others.slice(0, next), ...added, ...others.slice(next)];
}

/** The folder of all scratch workspaces, beside those of organizations. */
const FOLDER = 'trials';

const QUOTA = { bytes: 200 * 1024 ** 2, files: 2_000 };

/** A workspace for one call that no chat makes. */
interface ScratchWorkspace {
  readonly workspace: Workspace;
  /** Removes it with all that is in it. */
  remove(): Promise<void>;
}

/** Opens an empty workspace on this machine, which belongs to no chat and counts with no organization's. */
export function openScratch(root: string, { orgId, id }: { readonly orgId: string; readonly id: string }) {
  const all = join(root, FOLDER);
  return {
    workspace: openWorkspace({ root: all, orgId, chatId: id, quota: QUOTA }),
    remove: async () => {
      for (const folder of Object.values(foldersOf(join(all, orgId, id)))) await removeTree(folder);
      // Others of the organization may be in it.
      await rmdir(join(all, orgId)).catch(() => undefined);
    },
  } satisfies ScratchWorkspace;
}

/** Removes what calls have left whose worker died: folders in which nothing was added for so long. */
export async function removeOldScratch(root: string, olderThanMs: number): Promise<void> {
  const all = join(root, FOLDER);
  for (const org of await namesIn(all)) {
    const folder = join(all, org);
    for (const name of await namesIn(folder)) {
      const stats = await stat(join(folder, name)).catch(() => undefined);
      if (stats !== undefined && stats.mtimeMs < Date.now() - olderThanMs) await removeTree(join(folder, name));
    }
    await rmdir(folder).catch(() => undefined);
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
