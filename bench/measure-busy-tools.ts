import { Driver } from './driver.ts';
import { MOST_CHATS, platformMeters, printLoads } from './loads.ts';
import { type LoadFigures, measureLoad } from './measure-load.ts';
import { ModelControl } from './model-control.ts';
import { printHeading } from './report.ts';
import type { Bench, SectionResult } from './section.ts';
import { startFloor } from './start-floor.ts';

/** Three calls in one reply. The second kind computes in processes of its own, so it shows what tools themselves cost. */
const KINDS = [
  { name: 'three of time_now', calls: ['time_now {"zone": "UTC"}', 'time_now {"zone": "Asia/Tokyo"}', 'time_now {}'] },
  {
    name: 'time_now, math_evaluate, json_query',
    calls: ['time_now {}', 'math_evaluate {"expression": "6 * 7"}', 'json_query {"data": {"a": 1}, "expression": "a"}'],
  },
];

type NamedLoad = LoadFigures & { readonly name: string };

/** Measures and prints many chats at once, each of whose turns makes three tool calls in one reply. */
export async function measureBusyTools(bench: Bench): Promise<SectionResult> {
  const loads = await measureKinds(bench);
  printHeading(
    `Turns a second of ${MOST_CHATS} chats at once, each turn with three tool calls in one reply; events and workflow tasks a turn; CPU ms a turn; load in % of a core`,
  );
  printLoads(loads);
  const floor = await measureFloorLoad(bench);
  const [first] = loads;
  if (first === undefined) return { targets: [] };
  const rate = { measured: first.turnsPerSecond, better: 'more' as const, unit: '/s', floor: floor.turnsPerSecond };
  return {
    targets: [{ name: `turns a second at ${MOST_CHATS} chats, three tool calls each`, ...rate }],
    busiest: { name: `at ${MOST_CHATS} chats with three tool calls a turn`, window: first.window },
  };
}

async function measureKinds({ instance, options, undo }: Bench): Promise<NamedLoad[]> {
  await new ModelControl(instance.modelUrl).followDirectives();
  const { driver, ready } = await Driver.start('chats', [
    instance.apiUrl,
    instance.modelUrl,
    String(MOST_CHATS),
    'time_now,math_evaluate,json_query',
  ]);
  undo.add(async () => driver.stop());
  const { warmUpMs } = options;
  // Several times as long as a turn takes here: the first turns of all chats ended together.
  const measureMs = options.measureMs * 2;
  const { temporalAddress } = instance;
  const { workflowIds } = ready;
  const meters = platformMeters(instance, driver);
  const all = { driver, workflowIds, meters, temporalAddress, warmUpMs, measureMs, firstChat: 0, chats: MOST_CHATS };
  const loads: NamedLoad[] = [];
  for (const { name, calls } of KINDS) {
    const work = `${calls.map((call) => `[[tool ${call}]]`).join(' ')} [[then]] [[say It is noon.]]`;
    loads.push({ name, ...(await measureLoad({ ...all, work })) });
  }
  await driver.stop();
  return loads;
}

/** Measures and prints the same shape with empty activities: one, then three at the same time, then one. */
async function measureFloorLoad({ instance, options, undo }: Bench): Promise<LoadFigures> {
  const floor = await startFloor(instance, MOST_CHATS, undo);
  const { warmUpMs, floorMeasureMs: measureMs } = options;
  const { temporalAddress } = instance;
  const load = { ...floor, temporalAddress, warmUpMs, measureMs, firstChat: 0, chats: MOST_CHATS };
  const figures = await measureLoad({ ...load, work: JSON.stringify([1, 3, 1]) });
  await floor.driver.stop();
  printHeading('The floor: one empty activity, then three at the same time, then one');
  printLoads([figures]);
  return figures;
}
