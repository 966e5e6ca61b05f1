import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import type pg from 'pg';
import { MESSAGE_STATEMENT } from '../../db/turns/accept-message.ts';
import { READY_CHANNEL } from '../../db/turns/ready-turn.ts';
import type { Part, TestStack } from '../../test/support/test-stack.ts';
import type { Flow } from '../../test/support/valve.ts';
import { conversationId } from '../../workflows/turns/contract.ts';
import type { AimedFault, AimedInjection, Scene, Sighting } from './plan-faults.ts';
import {
  countAccepted,
  countEnded,
  countTakenOver,
  countUnheard,
  databaseTime,
  findStopped,
  seek,
  type StoppedTurn,
} from './turn-rows.ts';

/** Shorter than a lease, so that the other worker, which stands still meanwhile, keeps its turns. */
const CAUGHT_LIMIT_MS = 4_000;

/** Kills the spare worker when it has claimed a turn and could not tell Temporal. */
const killBeforeEngagement: AimedInjection = async (scene) => {
  const caught = await killLeader(scene, 'requests', async (turns) => turns);
  return sighting(caught, 'claimed and not known to Temporal');
};

/** Kills the spare worker when Temporal knows of a turn that it has claimed, and nothing of that has come back. */
const killBeforeAdoption: AimedInjection = async (scene) => {
  const connection = await Connection.connect({ address: `127.0.0.1:${scene.installation.stack.ports.temporal}` });
  try {
    const client = new Client({ connection });
    const caught = await killLeader(scene, 'responses', async (turns) => {
      const areFollowed = await Promise.all(turns.map(async (turn) => isFollowed(client, turn)));
      return turns.filter((_, at) => areFollowed[at]);
    });
    return sighting(caught, 'claimed and engaged, which its worker has not heard');
  } finally {
    await connection.close();
  }
};

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
const killApiBeforeNotification: AimedInjection = async ({ installation: { stack }, letIn }) =>
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

/** A lease lasts six seconds; the time until another worker looks comes on top. */
const LEAST_MS = 8_000;
const SPREAD_MS = 2_000;
const POLL_MS = 50;
const TAKEN_OVER_LIMIT_MS = 8_000;
/** Shorter than a lease, so that the other worker, which stands still meanwhile, keeps its own. */
const STOPPED_LIMIT_MS = 4_000;

/**
 * Lets the spare worker stand still until another one has taken its turns over. It then goes on as if nothing had
 * happened: whatever it still writes must be refused.
 */
const pausePastLeases: AimedInjection = async ({ installation: { stack, spare }, letIn }, { lengthMs }) =>
  stack.withDatabase(async (database) => {
    const { runner } = await spare.backUp();
    const stopped = await whileFrozen(stack, 'worker', async () => {
      letIn();
      await seek(async () => findStopped(database, runner), STOPPED_LIMIT_MS);
      spare.signal('SIGSTOP');
      return findStopped(database, runner);
    });
    await sleep(LEAST_MS + (lengthMs % SPREAD_MS));
    const deadline = Date.now() + TAKEN_OVER_LIMIT_MS;
    let taken = await countTakenOver(database, stopped, runner);
    while (taken < stopped.length && Date.now() < deadline) {
      await sleep(POLL_MS);
      taken = await countTakenOver(database, stopped, runner);
    }
    spare.signal('SIGCONT');
    return { isHit: taken > 0, seen: `${taken} of its ${stopped.length} turns were taken over while it stood still` };
  });

/** How long the workers are kept from listening, and how long after a message its turn would have been claimed. */
const CUT_MS = 1_500;
const HEARD_WITHIN_MS = 500;

/** A worker that has lost its connection is back within some milliseconds. */
const CUT_AGAIN_MS = 2;

/**
 * Ends the connections on which the workers listen for turns, again and again, while messages are accepted: their
 * notifications reach nobody.
 */
const loseNotifications: AimedInjection = async ({ installation: { stack }, letIn }) =>
  stack.withDatabase(async (database) => {
    const since = await databaseTime(database);
    const until = Date.now() + CUT_MS;
    let cuts = 0;
    for (let isFirst = true; Date.now() < until; isFirst = false) {
      const { rowCount } = await database.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where backend_type = 'client backend' and query like 'listen %${READY_CHANNEL}%'`,
      );
      cuts += rowCount ?? 0;
      if (isFirst) letIn();
      await sleep(CUT_AGAIN_MS);
    }
    const unheard = await countUnheard(database, since, HEARD_WITHIN_MS);
    return { isHit: unheard > 0, seen: `${unheard} turns that no worker heard of, after ${cuts} cuts` };
  });

/** Kills Temporal and keeps it from being started again for a while, in which users go on. */
const keepTemporalAway: AimedInjection = async ({ installation: { stack }, temporalAwayMs, letIn }) =>
  stack.withDatabase(async (database) => {
    // It would start another at once.
    stack.freezeSupervisor();
    const fault = stack.end('temporal');
    const since = await databaseTime(database);
    letIn();
    await sleep(temporalAwayMs);
    const accepted = await countAccepted(database, since);
    const ended = await countEnded(database, since);
    stack.thawSupervisor();
    await fault.backUp();
    return { isHit: accepted > 0, seen: `${accepted} messages accepted and ${ended} turns ended without it` };
  });

/** Injects the faults that are aimed at one moment, and says whether they struck in it. */
export const AIMED_INJECTIONS: Readonly<Record<AimedFault, AimedInjection>> = {
  'lose notifications': loseNotifications,
  'kill api before notification': killApiBeforeNotification,
  'kill spare worker before engagement': killBeforeEngagement,
  'kill spare worker before adoption': killBeforeAdoption,
  'pause spare worker past its leases': pausePastLeases,
  'keep Temporal away': keepTemporalAway,
};

function sighting(caught: readonly StoppedTurn[], what: string): Sighting {
  return { isHit: caught.length > 0, seen: `${caught.length} turns ${what}` };
}

/**
 * Holds back what the spare worker sends to Temporal, or what it hears from there, until it runs turns that `choose`
 * takes, and kills it. Returns those of them that it held when it died. What was held back is lost with it.
 */
async function killLeader(
  { installation: { stack, spare, temporalValve }, letIn }: Scene,
  flow: Flow,
  choose: (turns: StoppedTurn[]) => Promise<StoppedTurn[]>,
): Promise<readonly StoppedTurn[]> {
  const { pid, runner } = await spare.backUp();
  const caught = await stack.withDatabase(async (database) => {
    // Later messages only: nothing about them has passed.
    temporalValve.shut(flow);
    try {
      const since = await databaseTime(database);
      const found = await whileFrozen(stack, 'worker', async () => {
        letIn();
        return seek(async () => choose(await findStopped(database, runner, since)), CAUGHT_LIMIT_MS);
      });
      spare.signal('SIGKILL');
      return await stillStopped(database, runner, found);
    } finally {
      temporalValve.cut();
      temporalValve.reopen();
    }
  });
  await spare.backUp(pid);
  return caught;
}

// A turn may have ended between the look and the kill.
async function stillStopped(
  database: pg.Client,
  runner: string,
  turns: readonly StoppedTurn[],
): Promise<StoppedTurn[]> {
  const ids = new Set((await findStopped(database, runner)).map(({ id }) => id));
  return turns.filter(({ id }) => ids.has(id));
}

/** Returns whether the turn's conversation was started or signalled since its message was accepted. */
async function isFollowed({ workflow }: Client, { createdAt, ...chat }: StoppedTurn): Promise<boolean> {
  const handle = workflow.getHandle(conversationId(chat));
  try {
    const { startTime, status } = await handle.describe();
    if (status.name !== 'RUNNING') return false;
    if (startTime > createdAt) return true;
    const { events } = await handle.fetchHistory();
    return (events ?? []).some(
      ({ workflowExecutionSignaledEventAttributes: signal, eventTime }) =>
        signal != null && Number(eventTime?.seconds ?? 0) * 1_000 + (eventTime?.nanos ?? 0) / 1e6 > createdAt.getTime(),
    );
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return false;
    throw error;
  }
}

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

/**
 * Lets a part stand still while something is done, so that the spare one of its kind gets the work. Short enough, it
 * loses nothing by that.
 */
async function whileFrozen<T>(stack: TestStack, part: Part, work: () => Promise<T>): Promise<T> {
  stack.freeze(part);
  try {
    return await work();
  } finally {
    stack.thaw(part);
  }
}
