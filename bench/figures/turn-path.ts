import pg from 'pg';
import { readHistory } from './workflows.ts';
import type { Instance } from '../instance/instance.ts';
import type { SingleTurns } from '../loads/latency.ts';
import { quantile } from './statistics.ts';

/** A part of the way of a turn, and how long it took, median and 95th percentile, in milliseconds. */
export interface PathStep {
  readonly name: string;
  readonly p50: number;
  readonly p95: number;
}

/** The times at which the rows of a turn were written: the start of each transaction. */
interface RowTimes {
  readonly storedAt: number;
  readonly claimedAt: number;
  readonly publishedAt: number | null;
  readonly finishedAt: number;
}

/** The times at which Temporal recorded the wake of a turn, and gave it to the worker. */
interface WakeTimes {
  readonly signalledAt: number;
  readonly taskStartedAt: number;
}

/**
 * Breaks down the time of sequential turns, each the newest of its conversation, from the records of the client, the
 * database, Temporal and the model. All clocks are those of one machine.
 */
export async function turnPath(
  instance: Instance,
  workflowId: string,
  { turns, requests }: SingleTurns,
): Promise<PathStep[]> {
  const [rows, wakes] = await Promise.all([
    readRows(instance.databaseUrl, workflowId, turns.length),
    readWakes(instance.temporalAddress, workflowId, turns.length),
  ]);
  type TimeOf = (at: number) => number | null | undefined;
  const step = (name: string, from: TimeOf, to: TimeOf): PathStep => {
    const times = turns.map((_, at) => (to(at) ?? Number.NaN) - (from(at) ?? Number.NaN)).filter(Number.isFinite);
    return { name, p50: quantile(times, 0.5), p95: quantile(times, 0.95) };
  };
  const stored: TimeOf = (at) => rows[at]?.storedAt;
  const claimed: TimeOf = (at) => rows[at]?.claimedAt;
  const published: TimeOf = (at) => rows[at]?.publishedAt;
  const finished: TimeOf = (at) => rows[at]?.finishedAt;
  const signalled: TimeOf = (at) => wakes[at]?.signalledAt;
  return [
    step('frame sent -> transaction that stores it begins', (at) => turns[at]?.sentAt, stored),
    step('-> claim begins', stored, claimed),
    step('-> request arrived at the model', claimed, (at) => requests[at]?.startedAt),
    step('model: first content -> publishing begins', (at) => requests[at]?.firstContentAt, published),
    step('-> first chunk at the client', published, (at) => turns[at]?.firstAt),
    step('model: done -> transaction that stores the answer begins', (at) => requests[at]?.endedAt, finished),
    step('-> stream_end at the client', finished, (at) => turns[at]?.endedAt),
    step('beside it: stored -> wake recorded by Temporal', stored, signalled),
    step('-> workflow task started', signalled, (at) => wakes[at]?.taskStartedAt),
  ];
}

async function readRows(databaseUrl: string, workflowId: string, count: number): Promise<RowTimes[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<Record<keyof RowTimes, string | null>>(
      `select extract(epoch from t.created_at) * 1000 as "storedAt", extract(epoch from t.started_at) * 1000 as "claimedAt",
        (select extract(epoch from e.created_at) * 1000 from turn_events e where e.turn_id = t.id and e.seq = 0) as "publishedAt",
        extract(epoch from t.ended_at) * 1000 as "finishedAt"
      from turns t where t.chat_id = $1 order by t.seq desc limit $2`,
      [workflowId.split('/').at(-1), count],
    );
    return rows.toReversed().map((row) => ({
      storedAt: Number(row.storedAt),
      claimedAt: Number(row.claimedAt),
      publishedAt: row.publishedAt === null ? null : Number(row.publishedAt),
      finishedAt: Number(row.finishedAt),
    }));
  } finally {
    await client.end();
  }
}

async function readWakes(address: string, workflowId: string, count: number): Promise<WakeTimes[]> {
  const all = await readHistory(address, workflowId);
  const timeOf = (at: number): number => {
    const time = all[at]?.eventTime;
    return Number(time?.seconds) * 1000 + Number(time?.nanos) / 1e6;
  };
  const signals = all.flatMap((event, at) => (event.workflowExecutionSignaledEventAttributes != null ? [at] : []));
  return signals.slice(-count).map((at) => ({
    signalledAt: timeOf(at),
    taskStartedAt: timeOf(
      all.findIndex((event, index) => index > at && event.workflowTaskStartedEventAttributes != null),
    ),
  }));
}
