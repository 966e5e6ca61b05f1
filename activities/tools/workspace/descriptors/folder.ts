import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolFailure } from '../../tool-failure.ts';
import { errnoOf } from './errno.ts';
import { holding } from './holding.ts';
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
    return await holding(from.open(name), (inner) => countMissing(inner, rest));
  } catch (error) {
    // Any other obstacle becomes an error when the path is walked.
    return errnoOf(error) === 'ENOENT' ? names.length : 0;
  }
}

/** Opens the folder at the end of these names, one after the other. */
export async function walkTo(root: string, names: WorkspacePath, way: 'open' | 'make'): Promise<Folder> {
  let folder = await Folder.openRoot(root);
  for (const name of names) folder = await holding(Promise.resolve(folder), (parent) => parent[way](name));
  return folder;
}
