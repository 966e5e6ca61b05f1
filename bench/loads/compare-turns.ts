import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../figures/statistics.ts';
import type { Instance } from '../instance/instance.ts';
import { ModelControl } from '../instance/model-control.ts';
import type { OpenChat } from '../instance/open-chat.ts';
import { PAUSE_MS } from './latency.ts';
import { type TimedTurn, timeTurn } from './timed-turn.ts';

const WARM_UP_TURNS = 4;

/** Plain turns in two chats, taken by turns: a machine that is slow for a while is slow for both. */
export interface ComparedTurns {
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
