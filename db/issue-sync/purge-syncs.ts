import { firstIdAt } from '../core/sql.ts';
import type { Database } from '../core/index.ts';

/** The newest syncs of a project, which are kept. */
const KEPT = 100;
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
      select id from project_syncs where project_id = active.project_id order by id desc offset ${KEPT} limit ${BATCH}
    ) surplus
  ))`;
