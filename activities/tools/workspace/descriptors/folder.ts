import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolFailure } from '../../tool-failure.ts';
import { errnoOf } from './errno.ts';
import { holding } from './holding.ts';
import type { WorkspacePath } from '../workspace-path.ts';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;

/**
 * An open folder. It stays the same folder whatever happens to its name, and what is reached `at` a name is reached
 * through it: on Linux by way of the descriptor, so that a link put in place of a folder on the way leads nowhere.
 * Elsewhere the way is looked at again each time, which leaves a moment between look and use.
 */
export class Folder implements AsyncDisposable {
  readonly #handle: FileHandle;
  readonly #path: string;

  private constructor(handle: FileHandle, path: string) {
    this.#handle = handle;
    this.#path = path;
  }

  /** Opens the folder at a path of the operator's, links in it followed. */
  static async openRoot(path: string): Promise<Folder> {
    const real = await realpath(path);
    return new Folder(await open(real, O_RDONLY | O_DIRECTORY), real);
  }

  /** Path of what has this name in the folder, for one call of the file system that does not follow links. */
  at(name: string): string {
    return process.platform === 'linux' ? `/proc/self/fd/${this.#handle.fd}/${name}` : join(this.#path, name);
  }

  /** Path of the folder itself, for reading its names. */
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

  /** Makes a folder in it unless there is one, and opens it. */
  async make(name: string): Promise<Folder> {
    try {
      await mkdir(this.at(name), 0o700);
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
    return this.open(name);
  }

  /** Puts what was done to its names on the disk. */
  async sync(): Promise<void> {
    await this.#handle.sync();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

/** How many folders would have to be made on the way from the folder by these names. The folder is the caller's to close. */
export async function countMissing(from: Folder, names: WorkspacePath): Promise<number> {
  const [name, ...rest] = names;
  if (name === undefined) return 0;
  try {
    return await holding(from.open(name), (inner) => countMissing(inner, rest));
  } catch (error) {
    // Anything else that is in the way becomes an error when the path is walked.
    return errnoOf(error) === 'ENOENT' ? names.length : 0;
  }
}

/** Opens the folder that is reached by these names, one after the other. */
export async function walkTo(root: string, names: WorkspacePath, way: 'open' | 'make'): Promise<Folder> {
  let folder = await Folder.openRoot(root);
  for (const name of names) folder = await holding(Promise.resolve(folder), (parent) => parent[way](name));
  return folder;
}
