import { LINGERING } from '../../floors/floor-shape.ts';
import { cpuTargets, measureChats, measureFloorLoads, MOST_CHATS, platformCpu, printLoads } from '../../loads/loads.ts';
import { printHeading } from '../../report/target.ts';
import type { Bench, SectionResult } from '../../section.ts';

/** Measures and prints turns a second in chats that stand open, each sending when its last turn has ended. */
export async function measureStandingChats(bench: Bench): Promise<SectionResult> {
  const loadOf = async (atOnce: number) => measureChats(bench, { name: `${atOnce} chats`, driver: 'chats', atOnce });
  const few = await loadOf(MOST_CHATS / 4);
  const many = await loadOf(MOST_CHATS);
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
