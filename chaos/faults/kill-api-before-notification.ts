import type pg from 'pg';
import { MESSAGE_STATEMENT, READY_CHANNEL } from '../../db/turns/index.ts';
import type { TestStack } from '../../test/support/test-stack.ts';
import type { AimedInjection } from './injection.ts';
import { countAccepted, databaseTime, seek } from './turn-rows.ts';

/** How long messages may take to come: running turns wait meanwhile, and their leases go on. */
const STORING_LIMIT_MS = 2_500;
const LIMIT_MS = 1_000;

const STORING = `${MESSAGE_STATEMENT}%`;
/** The statement behind it in the same write, which announces its turn. */
const ANNOUNCING = `%pg_notify('${READY_CHANNEL}'%`;

/**
 * Kills the api together with its connections, as when its machine dies, in the moment in which messages are stored and
 * their turns not announced. Two locks on the table of turns make that moment last: the first stops the statements that
 * store messages; the second, queued behind them, lets these pass and stops those that come next on their connections.
 */
export const killApiBeforeNotification: AimedInjection = async ({ installation: { stack }, letIn }) =>
  stack.withDatabase(async (database) => {
    const since = await databaseTime(database);
    const { api, stored, announcing } = await stack.withDatabase(async (later) => {
      const storing = await queueBehindStoring(stack, { database, later, letIn });
      const announcing = await seek(async () => findWaiting(database, ANNOUNCING, storing), LIMIT_MS);
      const api = stack.end('api');
      await database.query('select pg_terminate_backend(pid) from unnest($1::int[]) pid', [announcing]);
      // Only the holder of the lock can read the table.
      return { api, announcing, stored: await countAccepted(later, since) };
    });
    await api.backUp();
    const isHit = announcing.length > 0 && stored > 0;
    return { isHit, seen: `${stored} messages stored, ${announcing.length} announcements lost with the api` };
  });

interface Locks {
  readonly database: pg.Client;
  /** Holds the second lock in the end. */
  readonly later: pg.Client;
  letIn(): void;
}

// Resolves to the connections that have stored messages since.
async function queueBehindStoring(stack: TestStack, { database, later, letIn }: Locks): Promise<readonly number[]> {
  const { storing, locked } = await stack.withDatabase(async (first) => {
    await lock(first, 'share');
    letIn();
    const storing = await seek(async () => findWaiting(database, STORING), STORING_LIMIT_MS);
    const locked = lock(later, 'access exclusive');
    locked.catch(() => undefined);
    await seek(async () => findWaiting(database, 'lock table turns%'), LIMIT_MS);
    return { storing, locked: { done: locked } };
  });
  await locked.done;
  return storing;
}

async function lock(client: pg.Client, mode: 'share' | 'access exclusive'): Promise<void> {
  await client.query('begin');
  await client.query("set local lock_timeout = '5s'");
  await client.query(`lock table turns in ${mode} mode`);
}

/** Returns the connections, among the given ones, whose statement waits for a lock. */
async function findWaiting(database: pg.Client, statement: string, among?: readonly number[]): Promise<number[]> {
  const { rows } = await database.query<{ pid: number }>(
    `select pid from pg_stat_activity
      where wait_event_type = 'Lock' and query like $1 and ($2::int[] is null or pid = any($2))`,
    [statement, among ?? null],
  );
  return rows.map(({ pid }) => pid);
}
