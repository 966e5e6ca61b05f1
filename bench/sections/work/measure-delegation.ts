import { setTimeout as sleep } from 'node:timers/promises';
import { PAUSE_MS } from '../../loads/latency.ts';
import { ModelControl } from '../../instance/start-model.ts';
import { openChat } from '../../instance/open-chat.ts';
import { figure, printHeading, printRows } from '../../report/target.ts';
import type { Bench, SectionResult } from '../../section.ts';
import { lingeringWork } from '../../floors/floor-shape.ts';
import { startFloor } from '../../floors/start-floor.ts';
import { quantile } from '../../figures/statistics.ts';
import { type TimedTurn, timeTurn } from '../../loads/timed-turn.ts';

const PLAIN = '[[say done]]';
const DELEGATING = `[[tool agent_spawn {"agent": "Scout", "task": "[[say found it]]"}]] [[then]] ${PLAIN}`;

/** Measures and prints the cost of delegating to a sub-agent that replies at once. */
export async function measureDelegation(bench: Bench): Promise<SectionResult> {
  const { plain, delegating } = await takeTurns(bench);
  const floor = await measureFloorChild(bench);
  const own = (turns: readonly TimedTurn[]): number[] => turns.map(({ ownMs }) => ownMs);
  // The turns were taken in pairs.
  const more = own(delegating).map((ms, at) => ms - (own(plain)[at] ?? Number.NaN));
  const gaps = (at: number): number[] => delegating.map(({ gapsMs }) => gapsMs[at] ?? Number.NaN);
  const row = (name: string, values: readonly number[]): string[] => [
    name,
    figure(quantile(values, 0.5)),
    figure(quantile(values, 0.95)),
  ];
  printHeading(
    `Delegation to a sub-agent that answers at once, ${more.length} turns, without the time of the model (ms)`,
  );
  printRows([
    ['', 'p50', 'p95'],
    row('plain turn', own(plain)),
    row('turn that delegates', own(delegating)),
    row('what the delegation adds', more),
    row("  end of the parent's reply -> request of the sub-agent", gaps(0)),
    row("  end of the sub-agent's reply -> next request of the parent", gaps(1)),
    row('the floor: a child workflow with one empty activity, then another activity', floor),
  ]);
  return {
    targets: [
      {
        name: 'delegation, p50',
        measured: quantile(more, 0.5),
        better: 'less',
        unit: 'ms',
        floor: quantile(floor, 0.5),
      },
    ],
  };
}

async function takeTurns({ instance, options }: Bench): Promise<{ plain: TimedTurn[]; delegating: TimedTurn[] }> {
  const model = new ModelControl(instance.model.url);
  await model.followDirectives();
  const chat = await openChat(instance, { tools: ['agent_spawn'], delegates: ['Scout'] });
  const [plain, delegating]: [TimedTurn[], TimedTurn[]] = [[], []];
  for (let at = -2; at < options.comparedTurns; at += 1) {
    const pair = [await timeTurn(model, chat, PLAIN, 1), await timeTurn(model, chat, DELEGATING, 3)] as const;
    if (at >= 0) {
      plain.push(pair[0]);
      delegating.push(pair[1]);
    }
    await sleep(PAUSE_MS);
  }
  chat.client.close();
  return { plain, delegating };
}

async function measureFloorChild({ instance, options, undo }: Bench): Promise<number[]> {
  const { driver } = await startFloor(instance, 1, undo);
  const work = lingeringWork([1, 'child', 1]);
  await driver.run({ type: 'latency', turns: 5, pauseMs: PAUSE_MS, work });
  const { turns } = await driver.run({ type: 'latency', turns: options.comparedTurns, pauseMs: PAUSE_MS, work });
  await driver.stop();
  return turns.map(({ firstAt, endedAt }) => endedAt - firstAt);
}
