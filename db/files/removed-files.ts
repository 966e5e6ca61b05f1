import type { Database } from '../core/index.ts';

/** A file whose record is gone, and whose bytes may still be where they were kept. */
export interface RemovedFile {
  readonly fileId: string;
  readonly orgId: string;
  readonly store: string;
}

/** Returns files whose bytes are to be removed from one of these stores now, those that are due longest first. */
export async function findRemovedFiles(
  { system }: Database,
  stores: readonly string[],
  limit: number,
): Promise<RemovedFile[]> {
  const { rows } = await system.query<RemovedFile>(
    `select file_id as "fileId", org_id as "orgId", store from removed_files
      where store = any($1) and next_try_at <= now() order by next_try_at limit $2`,
    [stores, limit],
  );
  return rows;
}

/** Forgets a file whose bytes have been removed. */
export async function forgetRemovedFile({ system }: Database, fileId: string): Promise<void> {
  await system.query('delete from removed_files where file_id = $1', [fileId]);
}

/** Lets other files go first: the bytes of these could not be removed. They are tried again after up to ten minutes. */
export async function postponeRemoval({ system }: Database, fileIds: readonly string[]): Promise<void> {
  await system.query(
    `update removed_files
      set next_try_at = now() + greatest(interval '15 seconds', least(now() - removed_at, interval '10 minutes'))
      where file_id = any($1::uuid[])`,
    [fileIds],
  );
}
