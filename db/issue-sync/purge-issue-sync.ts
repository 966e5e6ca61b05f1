import type { Database } from '../core/index.ts';
import { purgeRows } from '../records/index.ts';
import { firstIdAt } from '../core/sql.ts';

/** How long it is known that something was deleted, from then and from what its host told of it last. */
const KEPT_GONE = '1 year';

/** Forgets issues and comments that were deleted long ago, and that their host has told nothing of since. */
export async function purgeGone(database: Pick<Database, 'system'>): Promise<void> {
  await purgeRows(database, 'remote_issues', `${LONG_GONE} and synced_at < now() - interval '${KEPT_GONE}'`);
  await purgeRows(database, 'remote_comments', `${LONG_GONE} and changed_at < now() - interval '${KEPT_GONE}'`);
}

const LONG_GONE = `gone_at < now() - interval '${KEPT_GONE}'`;

/** The newest syncs of a project, which are kept. */
const KEPT_SYNCS = 100;
/** The syncs that one statement removes at most, of each project. */
const BATCH = 1_000;
/** Only projects with a sync so new are looked at; longer than the pause between two looks. */
const ACTIVE_MS = 86_400_000;

/** Removes the oldest syncs of projects that have too many. The open one is the newest, so it stays. */
export async function purgeSyncs({ system }: Pick<Database, 'system'>): Promise<void> {
  await system.query({ name: 'purge-project-syncs', text: SURPLUS, values: [firstIdAt(Date.now() - ACTIVE_MS)] });
}

const SURPLUS = `delete from project_syncs where id = any(array(
    select surplus.id from (select distinct project_id from project_syncs where id >= $1) active cross join lateral (
      select id from project_syncs where project_id = active.project_id order by id desc offset ${KEPT_SYNCS} limit ${BATCH}
    ) surplus
  ))`;
