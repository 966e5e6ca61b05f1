import type { Driver } from '../drivers/driver.ts';
import type { CpuMeters } from '../figures/cpu-window.ts';
import { cpuMs } from '../figures/process-figures.ts';
import type { NamedShape } from '../floors/floor-shape.ts';
import { startFloor } from '../floors/start-floor.ts';
import { type Instance, instanceMeters, PARTS } from '../instance/instance.ts';
import { figure, printHeading, printRows } from '../report/tables.ts';
import type { Target } from '../report/target.ts';
import type { Bench } from '../section.ts';
import { type LoadFigures, measureLoad, platformCpu } from './measure-load.ts';

/** The most chats that are busy at the same time. */
export const MOST_CHATS = 64;

/** Work that a short turn leaves behind in a workflow that stays open. */
export const SHORT_TAIL_MS = 2_000;

/** Returns the processes of the platform, of the model and of a driver. */
export function platformMeters(instance: Instance, driver: Driver): CpuMeters {
  return new Map([...instanceMeters(instance), ['driver', () => cpuMs(driver.pid)] as const]);
}

/** Measures the same load on each shape of bare workflows, and prints it; returns the figures in this order. */
export async function measureFloorLoads(
  { instance, options, undo, idle }: Bench,
  shapes: readonly NamedShape[],
): Promise<LoadFigures[]> {
  const loads: LoadFigures[] = [];
  for (const { name, shape } of shapes) {
    const { driver, meters, workflowIds } = await startFloor(instance, MOST_CHATS, undo);
    const { temporalAddress } = instance;
    const { floorWarmUpMs: warmUpMs, floorMeasureMs: measureMs } = options;
    const work = JSON.stringify(shape);
    const command = { type: 'load', firstChat: 0, chats: MOST_CHATS, warmUpMs, measureMs, work } as const;
    const workflowId = shape.workflow === 'lingering' ? workflowIds[0] : undefined;
    const load = { name, driver, command, meters, idle, temporalAddress, workflowId, tailMs: 500 };
    loads.push(await measureLoad(load));
    await driver.stop();
  }
  printHeading(`The floor: bare workflows on the same Temporal server, ${MOST_CHATS} at once; CPU ms a turn`);
  printLoads(loads);
  return loads;
}

/** Prints loads, a line each. */
export function printLoads(loads: readonly LoadFigures[]): void {
  const parts = [...(loads[0]?.cpuPerTurn.keys() ?? [])];
  printRows([
    ['', 'turns/s', 'p50 ms', 'p95 ms', 'failed', 'events', 'tasks', ...parts, 'CPU', 'tail', 'driver load', 'others'],
    ...loads.map((load) => [
      load.name,
      figure(load.turnsPerSecond),
      figure(load.p50),
      figure(load.p95),
      String(load.failed),
      figure(load.eventsPerTurn),
      figure(load.tasksPerTurn),
      ...parts.map((part) => figure(load.cpuPerTurn.get(part) ?? Number.NaN)),
      figure(platformCpu(load.cpuPerTurn)),
      figure(load.tailPerTurn),
      `${figure(load.driverLoad * 100, 0)} %`,
      `${figure(load.othersLoad * 100, 0)} %`,
    ]),
  ]);
}

/** Returns the CPU time of a turn, all parts together and each of them. */
export function cpuTargets(name: string, { cpuPerTurn }: LoadFigures, limits: Partial<Target> = {}): Target[] {
  const cost = { better: 'less', unit: 'ms' } as const;
  return [
    { name: `CPU of a turn, ${name}`, measured: platformCpu(cpuPerTurn), ...cost, ...limits },
    ...PARTS.map((part) => ({ name: `  ${part}`, measured: cpuPerTurn.get(part) ?? Number.NaN, ...cost })),
  ];
}
