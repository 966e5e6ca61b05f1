import pg from 'pg';
import type { Instance } from '../instance/instance.ts';
import { quantile } from './statistics.ts';
import type { PathStep } from './turn-path.ts';

/** The end of a reply with a call, and the next request to the model; milliseconds since the epoch. */
export interface RoundTimes {
  readonly repliedAt: number;
  readonly askedAt: number;
}

/** The times at which the rows of a round were written: the start of each transaction. */
interface RowTimes {
  readonly storedAt: number;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** Breaks down the time of sequential rounds with one call each. All clocks are those of one machine. */
export async function roundPath({ databaseUrl }: Instance, rounds: readonly RoundTimes[]): Promise<PathStep[]> {
  const rows = await readRows(databaseUrl);
  // The first row after each reply is that of the reply.
  const each = rounds.flatMap((round) => {
    const row = rows.find(({ storedAt }) => storedAt >= round.repliedAt - CLOCK_SLACK_MS);
    return row === undefined || row.storedAt > round.askedAt ? [] : [{ ...round, ...row }];
  });
  const step = (name: string, of: (round: RoundTimes & RowTimes) => number): PathStep => {
    const times = each.map(of);
    return { name, p50: quantile(times, 0.5), p95: quantile(times, 0.95) };
  };
  return [
    step('model: done -> transaction that stores the reply begins', ({ repliedAt, storedAt }) => storedAt - repliedAt),
    step('-> transaction that stores the intent begins', ({ storedAt, startedAt }) => startedAt - storedAt),
    step('-> transaction that stores the result begins', ({ startedAt, endedAt }) => endedAt - startedAt),
    step('-> next request arrived at the model', ({ endedAt, askedAt }) => askedAt - endedAt),
  ];
}

/** PostgreSQL and the model read the same clock in different ways. */
const CLOCK_SLACK_MS = 0.5;

async function readRows(databaseUrl: string): Promise<RowTimes[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<Record<keyof RowTimes, string>>(
      `select extract(epoch from s.created_at) * 1000 as "storedAt", extract(epoch from k.started_at) * 1000 as "startedAt",
        extract(epoch from k.ended_at) * 1000 as "endedAt"
      from model_steps s join tool_calls k on k.turn_id = s.turn_id and k.step = s.step
      where k.position = 0 and k.ended_at is not null order by s.created_at`,
    );
    return rows.map(({ storedAt, startedAt, endedAt }) => ({
      storedAt: Number(storedAt),
      startedAt: Number(startedAt),
      endedAt: Number(endedAt),
    }));
  } finally {
    await client.end();
  }
}
