import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { types } from 'node:util';
import { DISK_FULL, ToolFailure } from '../../tool-failure.ts';
import type { WorkspacePath } from '../workspace-path.ts';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;

/**
 * An open folder. It stays the same folder whatever happens to its name, and entries are reached `at` a name through
 * it: on Linux by its descriptor, so that a link that replaces a folder on the path has no effect. Elsewhere the path
 * is checked again each time, which leaves a gap between check and use.
 */
export class Folder implements AsyncDisposable {
  readonly #handle: FileHandle;
  readonly #path: string;

  private constructor(handle: FileHandle, path: string) {
    this.#handle = handle;
    this.#path = path;
  }

  /** Opens the folder at an operator's path, following links in it. */
  static async openRoot(path: string): Promise<Folder> {
    const real = await realpath(path);
    return new Folder(await open(real, O_RDONLY | O_DIRECTORY), real);
  }

  /** Returns the path of an entry in the folder, for one file system call that does not follow links. */
  at(name: string): string {
    return process.platform === 'linux' ? `/proc/self/fd/${this.#handle.fd}/${name}` : join(this.#path, name);
  }

  /** The path of the folder itself, for reading its names. */
  get self(): string {
    return process.platform === 'linux' ? `/proc/self/fd/${this.#handle.fd}` : this.#path;
  }

  /** Opens a folder in it. */
  async open(name: string): Promise<Folder> {
    const handle = await open(this.at(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    const path = join(this.#path, name);
    if (process.platform !== 'linux' && (await realpath(path)) !== path) {
      await handle.close();
      throw new ToolFailure('denied', `${name} is a link; links are not followed`);
    }
    return new Folder(handle, path);
  }

  /** Creates a folder in it if necessary, and opens it. */
  async make(name: string): Promise<Folder> {
    try {
      await mkdir(this.at(name), 0o700);
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
    return this.open(name);
  }

  /** Syncs changes of its names to the disk. */
  async sync(): Promise<void> {
    await this.#handle.sync();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

/** Returns how many folders are missing on the path from the folder by these names. The caller closes the folder. */
export async function countMissing(from: Folder, names: WorkspacePath): Promise<number> {
  const [name, ...rest] = names;
  if (name === undefined) return 0;
  try {
    return await withOpen(from.open(name), (inner) => countMissing(inner, rest));
  } catch (error) {
    // Any other obstacle becomes an error when the path is walked.
    return errnoOf(error) === 'ENOENT' ? names.length : 0;
  }
}

/** Opens the folder at the end of these names, one after the other. */
export async function walkTo(root: string, names: WorkspacePath, way: 'open' | 'make'): Promise<Folder> {
  let folder = await Folder.openRoot(root);
  for (const name of names) folder = await withOpen(Promise.resolve(folder), (parent) => parent[way](name));
  return folder;
}

/** Returns the code of a file system error, such as `ENOENT`; empty for other errors. */
export function errnoOf(error: unknown): string {
  return types.isNativeError(error) && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

const FAILURES: Readonly<Record<string, readonly [ToolFailure['kind'], string]>> = {
  ENOENT: ['not_found', 'There is nothing at this path'],
  ENOTDIR: ['invalid_input', 'A name on the way is not a folder, or is a link; links are not followed'],
  ELOOP: ['denied', 'The path goes through a link; links are not followed'],
  EMLINK: ['denied', 'The path goes through a link; links are not followed'],
  EISDIR: ['invalid_input', 'The path names a folder'],
  EEXIST: ['invalid_input', 'There already is something at this path'],
  ENOTEMPTY: ['invalid_input', 'The folder is not empty; it can be deleted with recursive'],
  ENXIO: ['denied', 'The path names something that is not a file'],
  ENODEV: ['denied', 'The path names something that is not a file'],
  ENAMETOOLONG: ['invalid_input', 'The path is too long'],
  EACCES: ['denied', 'The file system does not allow it'],
  EPERM: ['denied', 'The file system does not allow it'],
  EROFS: ['denied', 'The file system cannot be written to'],
  ENOSPC: ['upstream', DISK_FULL],
  EDQUOT: ['upstream', DISK_FULL],
};

/** Runs `work`; a file system error becomes a `ToolFailure` that names no path of the machine. */
export async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const known = FAILURES[errnoOf(error)];
    throw known === undefined ? error : new ToolFailure(known[0], known[1], { cause: error });
  }
}

/** Opens something, works with it, and closes it, however the work ends. */
export async function withOpen<R extends AsyncDisposable, T>(
  opening: Promise<R>,
  work: (open: R) => Promise<T>,
): Promise<T> {
  const open = await opening;
  try {
    return await work(open);
  } finally {
    await open[Symbol.asyncDispose]();
  }
}
