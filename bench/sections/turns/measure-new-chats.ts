import { findWorkflows } from '../../figures/workflows.ts';
import { NEW } from '../../floors/floor-shape.ts';
import { cpuTargets, measureChats, measureFloorLoads, MOST_CHATS, platformCpu, printLoads } from '../../loads/loads.ts';
import { figure, printHeading, printRows } from '../../report/target.ts';
import type { Bench, SectionResult } from '../../section.ts';

/** Measures and prints turns a second when each is the first of a new chat, with the work that they leave behind. */
export async function measureNewChats(bench: Bench): Promise<SectionResult> {
  const { newChatMs: measureMs, newChatTailMs: tailMs } = bench.options;
  const load = await measureChats(bench, {
    name: `${MOST_CHATS} at once`,
    driver: 'new-chats',
    atOnce: MOST_CHATS,
    measureMs,
    tailMs,
  });
  printHeading(
    `Turns a second in new chats, ${MOST_CHATS} at once: POST /api/chats, then the message, whose answer is streamed; CPU ms a turn`,
  );
  printLoads([load]);
  const workflowIds = load.turns.flatMap(({ newChat }) => newChat?.workflowId ?? []);
  const { missing, open } = await findWorkflows(bench.instance.temporalAddress, workflowIds);
  printRows([
    ['turns', String(workflowIds.length)],
    ['without a workflow', String(missing)],
    [`workflow still open ${tailMs / 1000} s later`, String(open)],
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
