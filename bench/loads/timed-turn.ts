import type { TurnTimes } from '../drivers/driver-protocol.ts';
import type { ModelControl, ModelRequest } from '../instance/model-control.ts';
import type { OpenChat } from '../instance/open-chat.ts';
import { sum } from '../figures/statistics.ts';

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
