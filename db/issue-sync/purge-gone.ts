import type { Database } from '../core/index.ts';
import { purgeRows } from '../records/index.ts';

/** How long it is known that something was deleted, from then and from what its host told of it last. */
const KEPT = '1 year';

/** Forgets issues and comments that were deleted long ago, and that their host has told nothing of since. */
export async function purgeGone(database: Pick<Database, 'system'>): Promise<void> {
  await purgeRows(database, 'remote_issues', `${LONG_GONE} and synced_at < now() - interval '${KEPT}'`);
  await purgeRows(database, 'remote_comments', `${LONG_GONE} and changed_at < now() - interval '${KEPT}'`);
}

const LONG_GONE = `gone_at < now() - interval '${KEPT}'`;
