import type { Database } from '../../db/core/index.ts';
import { findRemovedFiles, forgetRemovedFile, postponeRemoval } from '../../db/files/index.ts';
import { settleAll } from '../../domain/core/settle-all.ts';
import type { FileStores } from '../../files/index.ts';

/** Files that one call takes at most. */
export const MAX_FILES = 50;

/**
 * Removes the bytes of deleted files, where they are kept outside of the database. Those that fail are tried again
 * after others. Takes a bounded number of files, and returns whether more may be waiting.
 */
export async function removeStoredFiles(database: Database, stores: FileStores): Promise<boolean> {
  const removed = await findRemovedFiles(database, stores.names, MAX_FILES);
  const failed: string[] = [];
  const removals = removed.map(async (file) => {
    await stores
      .of(file)
      .remove(file)
      .catch((error: unknown) => {
        failed.push(file.fileId);
        throw error;
      });
    await forgetRemovedFile(database, file.fileId);
  });
  try {
    await settleAll(removals);
  } finally {
    if (failed.length > 0) await postponeRemoval(database, failed);
  }
  return removed.length === MAX_FILES;
}
