import type { Driver } from './driver.ts';
import type { Instance } from './instance.ts';
import { ModelControl } from './model-control.ts';
import type { BenchOptions } from './options.ts';
import { figure, printHeading, printRows } from './report.ts';
import { quantile } from './statistics.ts';
import { turnPath } from './turn-path.ts';

/** Between two turns, so that none meets what is left of the one before. */
export const PAUSE_MS = 20;

interface LatencyOptions {
  readonly instance: Instance;
  readonly options: BenchOptions;
  readonly driver: Driver;
  /** The conversation of the driver's first chat. */
  readonly workflowId: string;
}

/** Measures and prints the latency of turns one at a time; returns the median of the first token's overhead. */
export async function measureLatency({ instance, options, driver, workflowId }: LatencyOptions): Promise<number> {
  const model = new ModelControl(instance.modelUrl);
  await driver.run({ type: 'latency', turns: options.latencyWarmUpTurns, pauseMs: PAUSE_MS });
  await model.forget();
  const { turns, failed } = await driver.run({ type: 'latency', turns: options.latencyTurns, pauseMs: PAUSE_MS });
  const requests = await model.requests();
  if (failed > 0 || requests.length !== turns.length)
    throw new Error(`of ${options.latencyTurns} turns ${failed} failed, and the model got ${requests.length} requests`);
  const path = await turnPath(instance, workflowId, turns, requests);

  const each = turns.flatMap((turn, at) => {
    const request = requests[at];
    if (request?.firstContentAt == null || request.endedAt === null) return [];
    return { turn, startedAt: request.startedAt, contentAt: request.firstContentAt, doneAt: request.endedAt };
  });
  const before = each.map(({ turn, startedAt }) => startedAt - turn.sentAt);
  const after = each.map(({ turn, contentAt }) => turn.firstAt - contentAt);
  const total = before.map((value, at) => value + (after[at] ?? Number.NaN));
  const whole = each.map(({ turn, startedAt, doneAt }) => turn.endedAt - turn.sentAt - (doneAt - startedAt));
  const row = (name: string, values: readonly number[]): string[] => [
    name,
    figure(quantile(values, 0.5)),
    figure(quantile(values, 0.95)),
  ];
  printHeading(`Overhead of a turn, ${each.length} turns one at a time in one chat (ms)`);
  printRows([
    ['', 'p50', 'p95'],
    row('first token', total),
    row('  before the model call: frame sent -> request at the model', before),
    row('  after it: first content at the model -> first chunk at the client', after),
    row('whole turn: frame sent -> stream_end, without the time of the model', whole),
  ]);
  printHeading('Where that time goes (ms)');
  printRows([['', 'p50', 'p95'], ...path.map(({ name, p50, p95 }) => [name, figure(p50), figure(p95)])]);
  return quantile(total, 0.5);
}
