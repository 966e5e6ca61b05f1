import type { Database } from './core/database.ts';

/** The tables that grow with use, of which housekeeping removes old rows or nothing at all. */
const GROWING = ['messages', 'turns', 'model_steps', 'tool_calls', 'turn_events', 'token_usage', 'audit_log'];

/** Returns how many provider accounts of all organizations are in each state. */
export async function countAccountStates({ system }: Pick<Database, 'system'>): Promise<Record<string, number>> {
  const { rows } = await system.query<Record<string, number>>({
    name: 'count-account-states',
    text: `select (count(*) filter (where disabled_at is null and coalesce(cooldown_until <= now(), true)))::int as active,
        (count(*) filter (where disabled_at is null and cooldown_until > now()))::int as cooling_down,
        (count(disabled_at))::int as disabled
      from provider_accounts where deleted_at is null`,
  });
  return rows[0] ?? {};
}

/** Returns the bytes of tables that grow, with their indexes. */
export async function sizesOfGrowingTables({ system }: Pick<Database, 'system'>): Promise<Record<string, number>> {
  const { rows } = await system.query<{ name: string; bytes: number }>({
    name: 'sizes-of-growing-tables',
    text: 'select name, pg_total_relation_size(name::regclass) as bytes from unnest($1::text[]) as name',
    values: [GROWING],
  });
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, bytes]));
}

/** A slot of a schedule is decided this long after its time at the latest, also when a scan has to find it. */
const DECIDED_WITHIN = '2 minutes';

// By partial indexes without anything that has ended; of schedules those that are overdue.
const COUNTS = `
  select t.*,
    (select count(*)::int from approvals where status = 'pending') as approvals,
    (select count(*)::int from workflow_runs where completed_at is null) as runs,
    (select count(*)::int from webhook_deliveries where status = 'pending') as webhook_deliveries,
    (select count(*)::int from schedules where next_run_at < now() - interval '${DECIDED_WITHIN}') as overdue_schedules
  from (
    select (count(*) filter (where status = 'queued'))::int as turns_queued,
      (count(*) filter (where status = 'running' and is_at_work))::int as turns_at_work,
      (count(*) filter (where status = 'running' and not is_at_work))::int as turns_waiting
    from turns where status in ('queued', 'running')
  ) t`;

/** Counts what is under way or waits, in all organizations, by its kind. */
export async function countOpenWork({ system }: Pick<Database, 'system'>): Promise<Readonly<Record<string, number>>> {
  const { rows } = await system.query<Record<string, number>>({ name: 'count-open-work', text: COUNTS });
  return rows[0] ?? {};
}
