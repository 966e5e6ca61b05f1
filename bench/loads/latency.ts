import type { Driver } from '../drivers/driver.ts';
import type { TurnTimes } from '../drivers/driver-protocol.ts';
import { quantile } from '../figures/statistics.ts';
import type { Instance } from '../instance/instance.ts';
import { ModelControl, type ModelRequest } from '../instance/start-model.ts';
import type { BenchOptions } from '../options.ts';
import { figure } from '../report/target.ts';

/** Between two turns, so that none meets what is left of the one before. */
export const PAUSE_MS = 20;

/** Turns one at a time, and the request that the model got in each. */
export interface SingleTurns {
  readonly turns: readonly TurnTimes[];
  readonly requests: readonly ModelRequest[];
}

/** The instance whose model is asked, and how many turns are run. */
interface SinglyOptions {
  readonly instance: Pick<Instance, 'model'>;
  readonly options: Pick<BenchOptions, 'latencyTurns' | 'latencyWarmUpTurns'>;
}

/** What the platform adds to each turn, in milliseconds. */
export interface Overhead {
  /** Before the model is asked and after its first content has come, together. */
  readonly firstToken: number[];
  readonly before: number[];
  readonly after: number[];
  /** The whole turn without the time of the model. */
  readonly whole: number[];
}

/** Has a driver run turns one at a time. Throws when one fails, or asked the model more than once. */
export async function runSingly({ instance, options }: SinglyOptions, driver: Driver): Promise<SingleTurns> {
  const model = new ModelControl(instance.model.url);
  await driver.run({ type: 'latency', turns: options.latencyWarmUpTurns, pauseMs: PAUSE_MS });
  await model.forget();
  const { turns, failed } = await driver.run({ type: 'latency', turns: options.latencyTurns, pauseMs: PAUSE_MS });
  const requests = await model.requests();
  if (failed > 0 || requests.length !== turns.length)
    throw new Error(`of ${options.latencyTurns} turns ${failed} failed, and the model got ${requests.length} requests`);
  return { turns, requests };
}

/** Returns what the platform added to each turn. */
export function overheadOf({ turns, requests }: SingleTurns): Overhead {
  const each = turns.flatMap((turn, at) => {
    const request = requests[at];
    if (request?.firstContentAt == null || request.endedAt === null) return [];
    return { turn, startedAt: request.startedAt, contentAt: request.firstContentAt, doneAt: request.endedAt };
  });
  const before = each.map(({ turn, startedAt }) => startedAt - turn.sentAt);
  const after = each.map(({ turn, contentAt }) => turn.firstAt - contentAt);
  return {
    firstToken: before.map((value, at) => value + (after[at] ?? Number.NaN)),
    before,
    after,
    whole: each.map(({ turn, startedAt, doneAt }) => turn.endedAt - turn.sentAt - (doneAt - startedAt)),
  };
}

/** Returns the row of a table with the median and the 95th percentile. */
export function latencyRow(name: string, values: readonly number[]): string[] {
  return [name, figure(quantile(values, 0.5)), figure(quantile(values, 0.95))];
}
