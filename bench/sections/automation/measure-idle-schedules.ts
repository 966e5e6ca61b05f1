import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { CpuWindow } from '../../figures/cpu-window.ts';
import { inDatabase } from '../../instance/in-database.ts';
import { type Instance, instanceMeters } from '../../instance/instance.ts';
import { figure, printHeading, printRows } from '../../report/tables.ts';
import type { Target } from '../../report/target.ts';
import type { Bench } from '../../section.ts';
import { add, ANSWER, openOrgs, type Owner } from './open-orgs.ts';

/** Until the statistics of PostgreSQL say what a connection has done. */
const SETTLE_MS = 3_000;
/** The most that all of them may add to what is looked at in a second. */
const PAGES_A_SECOND = 5;

/** What an installation does in a second while no schedule is due. */
interface IdleUse {
  readonly worker: number;
  readonly postgres: number;
  readonly transactions: number;
  /** Pages of the schedules and of their indexes that were looked at. */
  readonly pages: number;
}

interface Counts {
  readonly transactions: number;
  readonly pages: number;
}

/** Measures and prints what schedules cost that are not due: nothing but their rows. */
export async function measureIdleSchedules({ instance, options }: Bench): Promise<Target[]> {
  const { idleSchedules: count } = options;
  const [owner] = await openOrgs(instance, 1);
  if (owner === undefined) throw new Error('nobody was registered');
  const before = await measureUse(instance, options.idleMs);
  await addSchedules(instance, owner, count);
  const after = await measureUse(instance, options.idleMs);
  const row = (name: string, { worker, postgres, transactions, pages }: IdleUse) => [
    name,
    ...[worker, postgres, transactions, pages].map((value) => figure(value)),
  ];
  printHeading(`An idle installation, a second: CPU ms, transactions, pages of schedules and their indexes`);
  printRows([
    ['', 'worker', 'PostgreSQL', 'transactions', 'pages'],
    row('before', before),
    row(`with ${count} schedules more`, after),
  ]);
  const cpu = after.worker + after.postgres - before.worker - before.postgres;
  return [
    {
      name: `pages a second that ${count} idle schedules add`,
      measured: after.pages - before.pages,
      bound: PAGES_A_SECOND,
      better: 'less',
      unit: '/s',
    },
    { name: '  CPU a second that they add', measured: cpu, better: 'less', unit: 'ms' },
  ];
}

// Copies of the row of one that was added by the api, of which alone Temporal knows; the table is left as autovacuum
// leaves it.
async function addSchedules(instance: Instance, { user, agentId }: Owner, count: number): Promise<void> {
  const fields = { name: 'Yearly', agent_id: agentId, prompt: ANSWER, cron_expr: '0 9 1 1 *' };
  const id = await add(user, '/api/schedules', fields);
  await waitUntil('Temporal to be told of it', async () =>
    inDatabase(instance, async (client) => {
      const { rowCount } = await client.query('select from schedules where id = $1 and version = applied_version', [
        id,
      ]);
      return rowCount === 1 ? true : undefined;
    }),
  );
  await inDatabase(instance, async (client) => {
    await client.query(
      `insert into schedules select (jsonb_populate_record(s, jsonb_build_object('id', uuidv7()))).*
        from schedules s, generate_series(2, $2::int) where s.id = $1`,
      [id, count],
    );
    await client.query('vacuum (analyze) schedules');
  });
}

async function measureUse(instance: Instance, ms: number): Promise<IdleUse> {
  await sleep(SETTLE_MS);
  const cpu = new CpuWindow(instanceMeters(instance));
  const before = await readCounts(instance);
  cpu.mark();
  await sleep(ms);
  cpu.mark();
  const after = await readCounts(instance);
  const { used, seconds } = cpu.use;
  return {
    worker: (used.get('worker') ?? Number.NaN) / seconds,
    postgres: (used.get('PostgreSQL') ?? Number.NaN) / seconds,
    transactions: (after.transactions - before.transactions) / seconds,
    pages: (after.pages - before.pages) / seconds,
  };
}

async function readCounts(instance: Instance): Promise<Counts> {
  return inDatabase(instance, async (client) => {
    const { rows } = await client.query<Counts>(
      `select (select xact_commit::int from pg_stat_database where datname = current_database()) as transactions,
        (heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::int as pages
      from pg_statio_user_tables where relname = 'schedules'`,
    );
    const [counts] = rows;
    if (counts === undefined) throw new Error('the statistics of the schedules are not there');
    return counts;
  });
}
