import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { cpuMs, CpuWindow, memoryMegabytes } from '../../figures/cpu-window.ts';
import { inDatabase } from '../../instance/in-database.ts';
import { type Instance, instanceMeters, PARTS } from '../../instance/instance.ts';
import { atOnce } from '../../loads/request-rate.ts';
import { figure, printHeading, printRows, type Target } from '../../report/target.ts';
import type { Bench, SectionResult } from '../../section.ts';
import { add, ANSWER, openOrgs, type Owner, waitForSchedules } from '../automation/open-orgs.ts';

/** Until what has begun before is over, and the statistics of PostgreSQL say what a connection has done. */
const SETTLE_MS = 60_000;
const TRANSACTIONS_A_SECOND = 2;
/** Organizations that have the schedules and the chats; the others have members only. */
const OWNERS = 10;
const WIDTH = 8;
const CATCH_UP_LIMIT_MS = 30 * 60_000;
/** Temporal runs the first step of new schedules some time after they were added, and then uses less CPU than this. */
const REST_WINDOW_MS = 10_000;
const CAUGHT_UP_MS = 500;

/** What an installation uses while nothing happens. */
interface IdleUse {
  readonly transactionsPerSecond: number;
  /** CPU milliseconds a second, by process. */
  readonly cpu: ReadonlyMap<string, number>;
  /** Megabytes, by part. */
  readonly memory: ReadonlyMap<string, number>;
  readonly temporalStoreMegabytes: number;
}

/**
 * Measures and prints what an api and two workers use while nothing happens: without users, and with schedules that
 * are not due, chats and organizations.
 */
export async function measureIdle({ startFresh, options }: Bench): Promise<SectionResult> {
  const instance = await startFresh();
  await instance.addWorker();
  const empty = await measureUse(instance, options.idleSectionMs);
  const { idleSchedules: schedules, idleChats: chats, idleOrgs: orgs } = options;
  const owners = await openOrgs(instance, OWNERS);
  await addRows(instance, owners, { chats, orgs });
  await addIdleSchedules(instance, owners, schedules);
  const filled = await measureUse(instance, options.idleSectionMs);
  await instance.stop();
  print(empty, filled, `with ${schedules} schedules, ${chats} chats and ${orgs} organizations`);
  const target = (name: string, { transactionsPerSecond }: IdleUse): Target => ({
    name: `transactions a second of an idle installation, ${name}`,
    measured: transactionsPerSecond,
    bound: TRANSACTIONS_A_SECOND,
    better: 'less',
    unit: '/s',
  });
  return { targets: [target('empty', empty), target('filled', filled)] };
}

/** Adds schedules that are due once a year, and waits until Temporal has run the first step of each. */
export async function addIdleSchedules(instance: Instance, owners: readonly Owner[], count: number): Promise<void> {
  await atOnce(count, WIDTH, async (at) => {
    const owner = owners[at % owners.length];
    if (owner === undefined) return;
    const fields = { name: `Yearly ${at}`, agent_id: owner.agentId, prompt: ANSWER, cron_expr: '0 9 1 1 *' };
    await add(owner.user, '/api/schedules', fields);
  });
  await waitForSchedules(instance, owners);
  const hasCaughtUp = async () => {
    const before = cpuMs(instance.pid('Temporal') ?? 0);
    await sleep(REST_WINDOW_MS);
    return cpuMs(instance.pid('Temporal') ?? 0) - before < CAUGHT_UP_MS ? true : undefined;
  };
  await waitUntil('Temporal to have caught up', hasCaughtUp, CATCH_UP_LIMIT_MS);
}

// As if they had been used, and left alone since: a chat without a turn has no workflow.
async function addRows(
  instance: Instance,
  owners: readonly Owner[],
  { chats, orgs }: { readonly chats: number; readonly orgs: number },
): Promise<void> {
  await inDatabase(instance, async (client) => {
    for (const { user, agentId } of owners) {
      await client.query(
        `with more as (
          insert into orgs (id, name) select uuidv7(), 'Idle ' || n from generate_series(1, $1::int) n returning id
        )
        insert into memberships (org_id, user_id, role) select id, $2, 'owner' from more`,
        [Math.floor(orgs / owners.length), user.id],
      );
      await client.query(
        `with chat as (
          insert into chats (id, org_id, user_id, agent_id, title)
          select uuidv7(), $1, $2, $3, 'Chat ' || n from generate_series(1, $4::int) n returning id
        ), turn as (
          insert into turns (id, org_id, chat_id, user_id, status, attempt, step, started_at, ended_at)
          select uuidv7(), $1, id, $2, 'completed', 1, 0, now(), now() from chat returning id, chat_id
        )
        insert into messages (id, org_id, chat_id, turn_id, role, content)
        select uuidv7(), $1, chat_id, id, 'user', 'Thank you.' from turn`,
        [user.orgId, user.id, agentId, Math.floor(chats / owners.length)],
      );
    }
    await client.query('vacuum (analyze)');
  });
}

async function measureUse(instance: Instance, ms: number): Promise<IdleUse> {
  await sleep(SETTLE_MS);
  const cpu = new CpuWindow(instanceMeters(instance));
  const before = await countTransactions(instance);
  cpu.mark();
  await sleep(ms);
  cpu.mark();
  const after = await countTransactions(instance);
  const { used, seconds } = cpu.use;
  return {
    transactionsPerSecond: (after - before) / seconds,
    cpu: new Map([...used].map(([name, each]) => [name, each / seconds])),
    memory: new Map(PARTS.map((part) => [part, memoryMegabytes(instance.pid(part) ?? 0)])),
    temporalStoreMegabytes: statSync(instance.temporalStore).size / 1e6,
  };
}

async function countTransactions(instance: Instance): Promise<number> {
  return inDatabase(instance, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      'select (xact_commit + xact_rollback)::int as count from pg_stat_database where datname = current_database()',
    );
    const [row] = rows;
    if (row === undefined) throw new Error('PostgreSQL has no statistics of the database');
    return row.count;
  });
}

function print(empty: IdleUse, filled: IdleUse, name: string): void {
  printHeading('An idle installation with two workers: transactions a second, CPU ms a second, PSS MB');
  const row = (label: string, of: (use: IdleUse) => number | undefined) => [
    label,
    ...[empty, filled].map((use) => figure(of(use) ?? Number.NaN)),
  ];
  printRows([
    ['', 'empty', name],
    row('transactions', (use) => use.transactionsPerSecond),
    ...[...empty.cpu.keys()].map((part) => row(`CPU of ${part}`, (use) => use.cpu.get(part))),
    ...PARTS.map((part) => row(`memory of ${part}`, (use) => use.memory.get(part))),
    row('store of Temporal, MB', (use) => use.temporalStoreMegabytes),
  ]);
}
