import pg from 'pg';
import type { Instance } from '../../instance/instance.ts';
import { quantile } from '../../figures/statistics.ts';
import type { PathStep } from '../../figures/turn-path.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { PAUSE_MS } from '../../loads/latency.ts';
import { ModelControl } from '../../instance/start-model.ts';
import { openChat } from '../../instance/open-chat.ts';
import { figure, printHeading, printRows } from '../../report/target.ts';
import type { Bench, SectionResult } from '../../section.ts';
import { lingeringWork } from '../../floors/floor-shape.ts';
import { startFloor } from '../../floors/start-floor.ts';
import { type TimedTurn, timeTurn } from '../../loads/timed-turn.ts';

/** The end of a reply with a call, and the next request to the model; milliseconds since the epoch. */
interface RoundTimes {
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
async function roundPath({ databaseUrl }: Instance, rounds: readonly RoundTimes[]): Promise<PathStep[]> {
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

/** A turn asks for a tool so many times, once a reply. */
const ROUNDS = [0, 1, 2, 3] as const;
const MOST_ROUNDS = 3;
/** Each round asks for something else, or it would be taken for a loop. */
const ZONES = ['UTC', 'Europe/Lisbon', 'Asia/Tokyo'];

/** Measures and prints what one more round of a tool costs a turn. */
export async function measureToolRounds(bench: Bench): Promise<SectionResult> {
  const turns = await takeTurns(bench);
  const ownOf = (rounds: number): number[] => (turns.get(rounds) ?? []).map(({ ownMs }) => ownMs);
  const plain = quantile(ownOf(0), 0.5);
  const all = [...turns.values()].flat();
  printHeading(
    `A turn with tool calls one after the other, ${all.length / ROUNDS.length} of each, without the time of the model (ms)`,
  );
  printRows([
    ['', 'p50', 'p95', 'a round more'],
    ...ROUNDS.map((rounds) => {
      const own = ownOf(rounds);
      const more = rounds === 0 ? '' : figure((quantile(own, 0.5) - plain) / rounds);
      return [`${rounds} rounds`, figure(quantile(own, 0.5)), figure(quantile(own, 0.95)), more];
    }),
  ]);
  const gaps = all.flatMap(({ gapsMs }) => gapsMs);
  const times = all.flatMap(({ requests }) => requests.slice(1).map((request, at) => timesOf(requests[at], request)));
  printHeading('Where the time of a round goes: from the end of a reply with a call to the next request (ms)');
  printRows([
    ['', 'p50', 'p95'],
    ['a round', figure(quantile(gaps, 0.5)), figure(quantile(gaps, 0.95))],
    ...(await roundPath(bench.instance, times)).map(({ name, p50, p95 }) => [`  ${name}`, figure(p50), figure(p95)]),
  ]);
  const floor = await measureFloorRounds(bench);
  const slope = (quantile(ownOf(MOST_ROUNDS), 0.5) - plain) / MOST_ROUNDS;
  return {
    targets: [
      { name: 'tool round, p50', measured: slope, bound: 25, better: 'less', unit: 'ms', floor },
      {
        name: 'tool round, reply with a call -> next request, p50',
        measured: quantile(gaps, 0.5),
        bound: 25,
        better: 'less',
        unit: 'ms',
        floor,
      },
    ],
  };
}

// One of each kind after the other, so that whatever else the machine does meets them alike.
async function takeTurns({ instance, options }: Bench): Promise<Map<number, TimedTurn[]>> {
  const model = new ModelControl(instance.model.url);
  await model.followDirectives();
  const chat = await openChat(instance, { tools: ['time_now'] });
  const turns = new Map<number, TimedTurn[]>(ROUNDS.map((rounds) => [rounds, []]));
  for (let at = -2; at < options.comparedTurns; at += 1) {
    for (const rounds of ROUNDS) {
      const turn = await timeTurn(model, chat, messageWith(rounds), rounds + 1);
      if (at >= 0) turns.get(rounds)?.push(turn);
      await sleep(PAUSE_MS);
    }
  }
  chat.client.close();
  return turns;
}

function messageWith(rounds: number): string {
  const calls = ZONES.slice(0, rounds).map((zone) => `[[tool time_now ${JSON.stringify({ zone })}]]`);
  return [...calls, '[[say It is noon.]]'].join(' [[then]] ');
}

function timesOf(reply: TimedTurn['requests'][number] | undefined, next: TimedTurn['requests'][number]): RoundTimes {
  return { repliedAt: reply?.endedAt ?? Number.NaN, askedAt: next.startedAt };
}

/** Prints the floor of a round: further activities after the first; returns the median of one more. */
async function measureFloorRounds({ instance, options, undo }: Bench): Promise<number> {
  const { driver } = await startFloor(instance, 1, undo);
  const medians: number[] = [];
  const rows: string[][] = [];
  for (const more of [1, 2]) {
    const work = lingeringWork(Array<number>(1 + more).fill(1));
    await driver.run({ type: 'latency', turns: 5, pauseMs: PAUSE_MS, work });
    const { turns } = await driver.run({ type: 'latency', turns: options.comparedTurns, pauseMs: PAUSE_MS, work });
    const times = turns.map(({ firstAt, endedAt }) => endedAt - firstAt);
    medians.push(quantile(times, 0.5));
    rows.push([
      more === 1 ? 'one more' : 'two more, as many as a round takes',
      figure(quantile(times, 0.5)),
      figure(quantile(times, 0.95)),
    ]);
  }
  await driver.stop();
  printHeading('The floor: start of an empty activity -> start of the one that comes after it (ms)');
  printRows([['', 'p50', 'p95'], ...rows]);
  return medians[0] ?? Number.NaN;
}
