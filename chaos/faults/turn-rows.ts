import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

// What the rows tell about turns at the moment of a fault.

/** A turn that a worker runs under a lease. */
export interface StoppedTurn {
  readonly id: string;
  readonly orgId: string;
  readonly chatId: string;
  readonly createdAt: Date;
}

const OPEN = "status in ('queued', 'running')";

/** Returns the time of the database. */
export async function databaseTime(database: pg.Client): Promise<Date> {
  const { rows } = await database.query<{ now: Date }>('select clock_timestamp() as now');
  return rows[0]?.now ?? new Date();
}

/** Returns the users' turns that a worker holds; only those of messages that were accepted since then, if given. */
export async function findStopped(database: pg.Client, runner: string, since?: Date): Promise<StoppedTurn[]> {
  const { rows } = await database.query<StoppedTurn>(
    `select id, org_id as "orgId", chat_id as "chatId", created_at as "createdAt" from turns
      where runner = $1 and status = 'running' and lease_until > now() and parent_turn_id is null
        and ($2::timestamptz is null or created_at > $2)`,
    [runner, since ?? null],
  );
  return rows;
}

/** Returns how many of the turns are open and held by another worker. */
export async function countTakenOver(
  database: pg.Client,
  turns: readonly StoppedTurn[],
  from: string,
): Promise<number> {
  return count(database, `id = any($1) and runner <> $2`, [turns.map(({ id }) => id), from]);
}

/** Returns how many messages were accepted in a time. */
export async function countAccepted(database: pg.Client, since: Date): Promise<number> {
  return count(database, 'parent_turn_id is null and created_at > $1', [since]);
}

/** Returns how many turns of users ended in a time. */
export async function countEnded(database: pg.Client, since: Date): Promise<number> {
  return count(database, 'parent_turn_id is null and ended_at > $1', [since]);
}

/** Returns how many turns wait to be claimed for longer than `forMs`, although no other turn of their chat is open. */
export async function countUnheard(database: pg.Client, since: Date, forMs: number): Promise<number> {
  return count(
    database,
    `status = 'queued' and parent_turn_id is null and created_at > $1
      and created_at < clock_timestamp() - $2 * interval '1 millisecond'
      and not exists (select from turns o where o.chat_id = turns.chat_id and o.seq < turns.seq and o.${OPEN})`,
    [since, forMs],
  );
}

async function count(database: pg.Client, condition: string, values: unknown[]): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `select count(*)::int as count from turns where ${condition}`,
    values,
  );
  return rows[0]?.count ?? 0;
}

/** Asks again and again until something is found; returns nothing when the time is over. */
export async function seek<T>(find: () => Promise<readonly T[]>, limitMs: number): Promise<readonly T[]> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const found = await find();
    if (found.length > 0 || Date.now() > deadline) return found;
    await sleep(5);
  }
}
