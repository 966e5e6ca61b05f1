import { types } from 'node:util';
import { DISK_FULL, ToolFailure } from '../../tool-failure.ts';

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
