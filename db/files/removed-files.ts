import type { Database } from '../core/index.ts';

/** A file whose record is gone, and whose bytes may still be where they were kept. */
export interface RemovedFile {
  readonly fileId: string;
  readonly orgId: string;
  readonly store: string;
}

/** Returns files whose bytes are to be removed from one of these stores, those that wait longest first. */
export async function findRemovedFiles(
  { system }: Database,
  stores: readonly string[],
  limit: number,
): Promise<RemovedFile[]> {
  const { rows } = await system.query<RemovedFile>(
    `select file_id as "fileId", org_id as "orgId", store from removed_files
      where store = any($1) order by removed_at limit $2`,
    [stores, limit],
  );
  return rows;
}

/** Forgets a file whose bytes have been removed. */
export async function forgetRemovedFile({ system }: Database, fileId: string): Promise<void> {
  await system.query('delete from removed_files where file_id = $1', [fileId]);
}
