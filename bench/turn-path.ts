import pg from 'pg';
import type { TurnTimes } from './driver-protocol.ts';
import { readHistory } from './history.ts';
import type { Instance } from './instance.ts';
import type { ModelTimes } from './model-control.ts';
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

/** The times at which Temporal recorded the steps of a turn. */
interface HistoryTimes {
  readonly signalledAt: number;
  readonly taskStartedAt: number;
  readonly taskCompletedAt: number;
}

/**
 * Breaks down the time of sequential turns, each the newest of its conversation, from the records of the client, the
 * database, Temporal and the model. All clocks are those of one machine.
 */
export async function turnPath(
  instance: Instance,
  workflowId: string,
  turns: readonly TurnTimes[],
  requests: readonly ModelTimes[],
): Promise<PathStep[]> {
  const [rows, history] = await Promise.all([
    readRows(instance.databaseUrl, workflowId, turns.length),
    readSteps(instance.temporalAddress, workflowId, turns.length),
  ]);
  const step = (name: string, from: (at: number) => number | null | undefined, to: typeof from): PathStep => {
    const times = turns.map((_, at) => (to(at) ?? Number.NaN) - (from(at) ?? Number.NaN)).filter(Number.isFinite);
    return { name, p50: quantile(times, 0.5), p95: quantile(times, 0.95) };
  };
  return [
    step(
      'frame sent -> transaction that stores it begins',
      (at) => turns[at]?.sentAt,
      (at) => rows[at]?.storedAt,
    ),
    step(
      '-> signal recorded by Temporal',
      (at) => rows[at]?.storedAt,
      (at) => history[at]?.signalledAt,
    ),
    step(
      '-> workflow task started',
      (at) => history[at]?.signalledAt,
      (at) => history[at]?.taskStartedAt,
    ),
    step(
      '-> workflow task completed, activity dispatched',
      (at) => history[at]?.taskStartedAt,
      (at) => history[at]?.taskCompletedAt,
    ),
    step(
      '-> claim begins',
      (at) => history[at]?.taskCompletedAt,
      (at) => rows[at]?.claimedAt,
    ),
    step(
      '-> request arrived at the model',
      (at) => rows[at]?.claimedAt,
      (at) => requests[at]?.startedAt,
    ),
    step(
      'model: first content -> publishing begins',
      (at) => requests[at]?.firstContentAt,
      (at) => rows[at]?.publishedAt,
    ),
    step(
      '-> first chunk at the client',
      (at) => rows[at]?.publishedAt,
      (at) => turns[at]?.firstAt,
    ),
    step(
      'model: done -> transaction that stores the answer begins',
      (at) => requests[at]?.endedAt,
      (at) => rows[at]?.finishedAt,
    ),
    step(
      '-> stream_end at the client',
      (at) => rows[at]?.finishedAt,
      (at) => turns[at]?.endedAt,
    ),
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

async function readSteps(address: string, workflowId: string, count: number): Promise<HistoryTimes[]> {
  const all = await readHistory(address, workflowId);
  const timeOf = (id: unknown): number => {
    const time = all[Number(id) - 1]?.eventTime;
    return Number(time?.seconds) * 1000 + Number(time?.nanos) / 1e6;
  };
  const signals = all.filter((event) => event.workflowExecutionSignaledEventAttributes != null).slice(-count);
  const activities = all.filter((event) => event.activityTaskScheduledEventAttributes != null).slice(-count);
  return activities.map((event, at) => {
    const completedId = Number(event.activityTaskScheduledEventAttributes?.workflowTaskCompletedEventId);
    const startedId = all[completedId - 1]?.workflowTaskCompletedEventAttributes?.startedEventId;
    return {
      signalledAt: timeOf(signals[at]?.eventId),
      taskStartedAt: timeOf(startedId),
      taskCompletedAt: timeOf(completedId),
    };
  });
}
