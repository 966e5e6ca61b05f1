import { setTimeout as sleep } from 'node:timers/promises';
import type { TurnTimes } from '../drivers/driver-protocol.ts';
import { quantile, sum } from '../figures/statistics.ts';
import type { Instance } from '../instance/instance.ts';
import type { OpenChat } from '../instance/open-chat.ts';
import { ModelControl, type ModelRequest } from '../instance/start-model.ts';
import { PAUSE_MS } from './latency.ts';

/** A turn that ran with no other beside it, and the requests that the model got in it. */
export interface TimedTurn {
  readonly times: TurnTimes;
  readonly requests: readonly ModelRequest[];
  /** The whole turn without the time of the model, in milliseconds. */
  readonly ownMs: number;
  /** From the end of each reply to the arrival of the next request, in milliseconds. */
  readonly gapsMs: readonly number[];
}

/** Runs one turn, and says so and runs another when it fails. Rejects when that fails too. */
export async function timeTurn(
  model: ModelControl,
  chat: OpenChat,
  content: string,
  expectedRequests: number,
): Promise<TimedTurn> {
  try {
    return await timeOne(model, chat, content, expectedRequests);
  } catch (error) {
    process.stdout.write(`\n  A turn failed and was taken again: ${String(error)}\n`);
    return timeOne(model, chat, content, expectedRequests);
  }
}

// The model must be asked so many times, one after the other.
async function timeOne(
  model: ModelControl,
  { client }: OpenChat,
  content: string,
  expectedRequests: number,
): Promise<TimedTurn> {
  await model.forget();
  const times = await client.runTurn(content);
  const requests = await model.requests();
  if (requests.length !== expectedRequests)
    throw new Error(`the model got ${requests.length} requests in place of ${expectedRequests} for: ${content}`);
  const played = requests.map(({ startedAt, endedAt }) => (endedAt ?? Number.NaN) - startedAt);
  const ends = requests.map(({ endedAt }) => endedAt ?? Number.NaN);
  return {
    times,
    requests,
    ownMs: times.endedAt - times.sentAt - sum(played),
    gapsMs: requests.slice(1).map(({ startedAt }, at) => startedAt - (ends[at] ?? Number.NaN)),
  };
}

const WARM_UP_TURNS = 4;

/** Plain turns in two chats, taken by turns: a machine that is slow for a while is slow for both. */
interface ComparedTurns {
  readonly plain: readonly TimedTurn[];
  readonly other: readonly TimedTurn[];
}

/** Runs so many plain turns in each of two chats, one at a time. */
export async function compareTurns(
  { model: { url } }: Instance,
  { plain, other }: { readonly plain: OpenChat; readonly other: OpenChat },
  count: number,
): Promise<ComparedTurns> {
  const model = new ModelControl(url);
  await model.followDirectives();
  const turns: { plain: TimedTurn[]; other: TimedTurn[] } = { plain: [], other: [] };
  for (let at = -WARM_UP_TURNS; at < count; at += 1) {
    for (const name of ['plain', 'other'] as const) {
      const turn = await timeTurn(model, { plain, other }[name], '[[say It is noon.]]', 1);
      if (at >= 0) turns[name].push(turn);
      await sleep(PAUSE_MS);
    }
  }
  return turns;
}

/** Returns what a turn of the other chat takes more than the plain one before it: the median, in milliseconds. */
export function addedMs({ plain, other }: ComparedTurns, msOf: (turn: TimedTurn) => number): number {
  return quantile(
    other.map((turn, at) => msOf(turn) - (plain[at] === undefined ? Number.NaN : msOf(plain[at]))),
    0.5,
  );
}

/** Returns what the platform takes until the first token is shown, without the time of the model, in milliseconds. */
export function firstTokenMs({ times, requests: [request] }: TimedTurn): number {
  if (request === undefined || request.firstContentAt === null) return Number.NaN;
  return request.startedAt - times.sentAt + times.firstAt - request.firstContentAt;
}
