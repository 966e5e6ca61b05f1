import { Driver } from '../../drivers/driver.ts';
import {
  cpuTargets,
  type LoadFigures,
  measureFloorLoads,
  measureLoad,
  MOST_CHATS,
  platformMeters,
  printLoads,
  SHORT_TAIL_MS,
} from '../../loads/loads.ts';
import { ModelControl } from '../../instance/start-model.ts';
import { printHeading } from '../../report/target.ts';
import type { Bench, SectionResult } from '../../section.ts';

const snippets = (language: string, code: string) =>
  Array.from({ length: 3 }, () => `code_run ${JSON.stringify({ language, code })}`);

/**
 * Three calls in one reply. The second kind computes in processes of its own, so it shows what tools themselves cost;
 * Python runs in the sandbox.
 */
const KINDS = [
  { name: 'three of time_now', calls: ['time_now {"zone": "UTC"}', 'time_now {"zone": "Asia/Tokyo"}', 'time_now {}'] },
  {
    name: 'time_now, math_evaluate, json_query',
    calls: ['time_now {}', 'math_evaluate {"expression": "6 * 7"}', 'json_query {"data": {"a": 1}, "expression": "a"}'],
  },
  { name: 'three of code_run, JavaScript', calls: snippets('javascript', 'return 6 * 7') },
  { name: 'three of code_run, Python', calls: snippets('python', 'print(6 * 7)') },
];

/** Measures and prints many chats at once, each of whose turns makes three tool calls in one reply. */
export async function measureBusyTools(bench: Bench): Promise<SectionResult> {
  const loads = await measureKinds(bench);
  printHeading(
    `Turns a second of ${MOST_CHATS} chats at once, each turn with three tool calls in one reply; events and workflow tasks a turn; CPU ms a turn`,
  );
  printLoads(loads);
  const floor = await measureFloorLoad(bench);
  const [first] = loads;
  if (first === undefined || floor === undefined) return { targets: [] };
  const name = `${MOST_CHATS} chats with three tool calls a turn`;
  const rate = { measured: first.turnsPerSecond, better: 'more' as const, unit: '/s', floor: floor.turnsPerSecond };
  return {
    targets: [{ name: `turns a second, ${name}`, ...rate }, ...cpuTargets(name, first)],
    busiest: { name: `with ${name}`, window: first.window },
  };
}

async function measureKinds({ instance, options, undo, idle }: Bench): Promise<LoadFigures[]> {
  await new ModelControl(instance.model.url).followDirectives();
  const { driver, ready } = await Driver.start('chats', [
    instance.apiUrl,
    instance.model.url,
    String(MOST_CHATS),
    'time_now,math_evaluate,json_query,code_run',
  ]);
  undo.add(async () => driver.stop());
  const { warmUpMs } = options;
  // Several times as long as a turn takes here: the first turns of all chats ended together.
  const measureMs = options.measureMs * 2;
  const { temporalAddress } = instance;
  const meters = platformMeters(instance, driver);
  const workflowId = ready.workflowIds[0];
  const loads: LoadFigures[] = [];
  for (const { name, calls } of KINDS) {
    const work = `${calls.map((call) => `[[tool ${call}]]`).join(' ')} [[then]] [[say It is noon.]]`;
    const command = { type: 'load', firstChat: 0, chats: MOST_CHATS, warmUpMs, measureMs, work } as const;
    const load = { name, driver, command, meters, idle, temporalAddress, workflowId, tailMs: SHORT_TAIL_MS };
    loads.push(await measureLoad(load));
  }
  await driver.stop();
  return loads;
}

/** Measures and prints the same shape with empty activities: one, then three at the same time, then one. */
async function measureFloorLoad(bench: Bench): Promise<LoadFigures | undefined> {
  const shape = { workflow: 'lingering', activity: 'ordinary', steps: [1, 3, 1] } as const;
  const [load] = await measureFloorLoads(bench, [{ name: 'one, then three at the same time, then one', shape }]);
  return load;
}
