import { Driver } from '../../drivers/driver.ts';
import { findWorkflows } from '../../figures/workflows.ts';
import { NEW } from '../../floors/floor-shape.ts';
import { ModelControl } from '../../instance/start-model.ts';
import {
  cpuTargets,
  type LoadFigures,
  measureFloorLoads,
  measureLoad,
  MOST_CHATS,
  platformCpu,
  platformMeters,
  printLoads,
} from '../../loads/loads.ts';
import { figure, printHeading, printRows } from '../../report/target.ts';
import { type Bench, PLAIN_ANSWER, type SectionResult } from '../../section.ts';

/** Measures and prints turns a second when each is the first of a new chat, with the work that they leave behind. */
export async function measureNewChats(bench: Bench): Promise<SectionResult> {
  const load = await measureLoadOfNewChats(bench);
  printHeading(
    `Turns a second in new chats, ${MOST_CHATS} at once: POST /api/chats, then the message, whose answer is streamed; CPU ms a turn`,
  );
  printLoads([load]);
  const workflowIds = load.turns.flatMap(({ newChat }) => newChat?.workflowId ?? []);
  const { missing, open } = await findWorkflows(bench.instance.temporalAddress, workflowIds);
  printRows([
    ['turns', String(workflowIds.length)],
    ['without a workflow', String(missing)],
    [`workflow still open ${bench.options.newChatTailMs / 1000} s later`, String(open)],
    ['CPU ms a turn after the minute', figure(load.tailPerTurn)],
  ]);
  const floors = await measureFloorLoads(bench, NEW);
  const name = `${MOST_CHATS} new chats at once`;
  return {
    targets: [
      {
        name: `turns a second, ${name}`,
        measured: load.turnsPerSecond,
        bound: 65,
        better: 'more',
        unit: '/s',
        floor: Math.max(...floors.map(({ turnsPerSecond }) => turnsPerSecond)),
      },
      { name: '  a turn, p95', measured: load.p95, better: 'less', unit: 'ms' },
      { name: '  failed turns', measured: load.failed, bound: 0, better: 'less', unit: '' },
      { name: '  turns without a workflow', measured: missing, bound: 0, better: 'less', unit: '' },
      ...cpuTargets(name, load, {
        bound: 26,
        floor: Math.min(...floors.map(({ cpuPerTurn }) => platformCpu(cpuPerTurn))),
      }),
      { name: '  of all that, after the turns', measured: load.tailPerTurn, better: 'less', unit: 'ms' },
    ],
    busiest: { name: `with ${name}`, window: load.window },
  };
}

async function measureLoadOfNewChats({ instance, options, undo, idle }: Bench): Promise<LoadFigures> {
  const { apiUrl, model, temporalAddress } = instance;
  await new ModelControl(model.url).answer(PLAIN_ANSWER);
  const { driver } = await Driver.start('new-chats', [apiUrl, model.url, String(MOST_CHATS)]);
  undo.add(async () => driver.stop());
  const { warmUpMs, newChatMs: measureMs, newChatTailMs: tailMs } = options;
  const figures = await measureLoad({
    name: `${MOST_CHATS} at once`,
    driver,
    command: { type: 'load', firstChat: 0, chats: MOST_CHATS, warmUpMs, measureMs },
    temporalAddress,
    meters: platformMeters(instance, driver),
    idle,
    tailMs,
  });
  await driver.stop();
  return figures;
}
