import { findRemovedFiles, forgetRemovedFile, postponeRemoval, purgeAbandonedUploads } from '../../db/files/index.ts';
import { settleAll } from '../../domain/core/settle-all.ts';
import { BATCH, type Sweep } from './sweep.ts';

/** Removes what is there of uploads whose process is gone. */
export const purgeUploads: Sweep = {
  name: 'purge uploads',
  run: async ({ database }) => {
    await purgeAbandonedUploads(database);
  },
};

/** Removes the bytes of deleted files, where they lie outside of the database. */
export const removeStoredFiles: Sweep = {
  name: 'remove files',
  run: async ({ database, files }) => {
    const removed = await findRemovedFiles(database, files.names, BATCH);
    const failed: string[] = [];
    const removals = removed.map(async (file) => {
      await files
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
  },
};
