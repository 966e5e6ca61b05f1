import type { Database } from '../../db/core/index.ts';

/** What has times that work depends on. Sign-ins and the like stay, so that the test can go on. */
const TABLES = ['approvals', 'chats', 'messages', 'provider_accounts', 'tool_calls', 'turns', 'workflow_runs'];

/** Lets time pass at once, for everything that is stored: all its times are that much longer ago. */
export async function passTime({ system }: Database, interval: string): Promise<void> {
  const { rows: tables } = await system.query<{ name: string; moved: string }>(
    `select table_name as name, string_agg(format('%1$I = %1$I - $1::interval', column_name), ', ') as moved
      from information_schema.columns
      where table_schema = 'public' and table_name = any($1) and data_type = 'timestamp with time zone'
      group by table_name`,
    [TABLES],
  );
  const client = await system.connect();
  try {
    await client.query('begin');
    for (const { name, moved } of tables) await client.query(`update ${name} set ${moved}`, [interval]);
    // Who has read a run before stores no time of before.
    await client.query('update workflow_runs set version = version + 1 where completed_at is null');
    await client.query('commit');
  } finally {
    client.release(true);
  }
}
