import type { RunRef } from '../../db/agent-workflows/runs/run-state.ts';
import type { Database } from '../../db/core/database.ts';
import { ANNOUNCE_DUE } from '../../db/turns/ready-turn.ts';
import { dueRuns } from '../../domain/core/due-work.ts';
import { waitUntil } from './wait-until.ts';

/** What has times that work depends on. Sign-ins and the like stay, so that the test can go on. */
const TABLES = ['approvals', 'chats', 'messages', 'provider_accounts', 'tool_calls', 'turns', 'workflow_runs'];

/**
 * Lets time pass at once, for everything that is stored: all its times are that much longer ago. Waits until no turn is
 * at work: a step that has read its times before would store a wait by the real time.
 */
export async function passTime(database: Database, interval: string): Promise<void> {
  await waitUntil('no turn to be at work', async () => ((await passed(database, interval)) ? true : undefined));
}

/** Returns whether no turn was at work, so that time has passed. */
async function passed(database: Database, interval: string): Promise<boolean> {
  const { system } = database;
  const { rows: tables } = await system.query<{ name: string; shifted: string }>(
    `select table_name as name, string_agg(format('%1$I = %1$I - $1::interval', column_name), ', ') as shifted
      from information_schema.columns
      where table_schema = 'public' and table_name = any($1) and data_type = 'timestamp with time zone'
      group by table_name`,
    [TABLES],
  );
  const client = await system.connect();
  try {
    await client.query('begin');
    // Locked, so that none begins before all times are shifted.
    const { rows: turns } = await client.query<{ isAtWork: boolean }>(
      `select is_at_work as "isAtWork" from turns where status in ('queued', 'running') order by id for update`,
    );
    if (turns.some(({ isAtWork }) => isAtWork)) return false;
    for (const { name, shifted } of tables) await client.query(`update ${name} set ${shifted}`, [interval]);
    const { rows: runs } = await client.query<RunRef>(
      `update workflow_runs set version = version + 1 where completed_at is null
        returning id as "runId", org_id as "orgId"`,
    );
    await client.query('commit');
    // The timers of workflows keep the real time, and so do the rests of workers.
    await system.query(ANNOUNCE_DUE.text);
    await database.follow([{ dueWork: dueRuns(runs) }]);
    return true;
  } finally {
    client.release(true);
  }
}
