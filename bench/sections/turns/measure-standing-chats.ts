import { Driver } from '../../drivers/driver.ts';
import { LINGERING } from '../../floors/floor-shape.ts';
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
  SHORT_TAIL_MS,
} from '../../loads/loads.ts';
import { printHeading } from '../../report/target.ts';
import { type Bench, PLAIN_ANSWER, type SectionResult } from '../../section.ts';

/** Measures and prints turns a second in chats that stand open, each sending when its last turn has ended. */
export async function measureStandingChats(bench: Bench): Promise<SectionResult> {
  const few = await measureChats(bench, MOST_CHATS / 4);
  const many = await measureChats(bench, MOST_CHATS);
  printHeading(
    'Turns a second in standing chats, each sending its next message when the last turn has ended; events and workflow tasks a turn; CPU ms a turn',
  );
  printLoads([few, many]);
  const floors = await measureFloorLoads(bench, LINGERING);
  const name = `${MOST_CHATS} standing chats`;
  return {
    targets: [
      {
        name: `turns a second, ${name}`,
        measured: many.turnsPerSecond,
        bound: 110,
        better: 'more',
        unit: '/s',
        floor: Math.max(...floors.map(({ turnsPerSecond }) => turnsPerSecond)),
      },
      { name: '  a turn, p95', measured: many.p95, better: 'less', unit: 'ms' },
      { name: '  failed turns', measured: many.failed, bound: 0, better: 'less', unit: '' },
      ...cpuTargets(name, many, {
        bound: 17,
        floor: Math.min(...floors.map(({ cpuPerTurn }) => platformCpu(cpuPerTurn))),
      }),
    ],
    busiest: { name: `with ${name}`, window: many.window },
  };
}

async function measureChats({ instance, options, undo, idle }: Bench, chats: number): Promise<LoadFigures> {
  const { apiUrl, model, temporalAddress } = instance;
  await new ModelControl(model.url).answer(PLAIN_ANSWER);
  const { driver, ready } = await Driver.start('chats', [apiUrl, model.url, String(chats)]);
  undo.add(async () => driver.stop());
  const { warmUpMs, measureMs } = options;
  const figures = await measureLoad({
    name: `${chats} chats`,
    driver,
    command: { type: 'load', firstChat: 0, chats, warmUpMs, measureMs },
    temporalAddress,
    workflowId: ready.workflowIds[0],
    meters: platformMeters(instance, driver),
    idle,
    tailMs: SHORT_TAIL_MS,
  });
  await driver.stop();
  return figures;
}
