import { firstIdAt } from '../core/sql/first-id-at.ts';
import type { Database } from '../core/index.ts';

/** The entries of one project that are kept, however new. */
const MAX_ENTRIES = 20_000;
/** The entries that one statement removes at most, of each project. */
const BATCH = 10_000;
const DAY_MS = 86_400_000;
/** Only projects with entries so new are checked for too many; longer than the time between two runs. */
const ACTIVE_MS = 10 * 60_000;

interface Retention {
  /** The days for which entries are kept; 0 for ever. */
  readonly days: number;
}

/** Removes the entries of project logs that are too old, and the oldest of projects that have too many. */
export async function purgeProjectLogs({ system }: Pick<Database, 'system'>, { days }: Retention): Promise<void> {
  if (days > 0)
    await system.query({ name: 'purge-old-project-logs', text: OLD, values: [firstIdAt(Date.now() - days * DAY_MS)] });
  await system.query({ name: 'purge-long-project-logs', text: MANY, values: [firstIdAt(Date.now() - ACTIVE_MS)] });
}

// By their ids, which begin with their time: neither needs an index of its own.
const OLD = `delete from project_logs where id = any(array(
    select id from project_logs where id < $1 order by id limit ${BATCH}
  ))`;

const MANY = `delete from project_logs where id = any(array(
    select surplus.id from (select distinct project_id from project_logs where id >= $1) active cross join lateral (
      select id from project_logs where project_id = active.project_id order by id desc offset ${MAX_ENTRIES} limit ${BATCH}
    ) surplus
  ))`;
