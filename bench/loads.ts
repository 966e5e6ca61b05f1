import type { CpuMeters } from './cpu-window.ts';
import type { Driver } from './driver.ts';
import { startFloor } from './start-floor.ts';
import type { Instance } from './instance.ts';
import { PAUSE_MS } from './latency.ts';
import { type LoadFigures, measureLoad } from './measure-load.ts';
import type { BenchOptions } from './options.ts';
import { cpuMs } from './process-figures.ts';
import { figure, printHeading, printRows } from './report.ts';
import { quantile, sum } from './statistics.ts';
import type { Undo } from '../test/support/undo.ts';

/** The numbers of concurrently busy chats, load by load. */
const CHATS = [1, 16, 64] as const;

/** The most chats that are busy at the same time. */
export const MOST_CHATS = 64;

/** The first chat is for the latencies; each load has chats of its own, so that none begins with a long history. */
export const ALL_CHATS = 1 + CHATS.reduce((sum, count) => sum + count, 0);

/** The measured quantity, and the duration. */
interface Measured {
  readonly instance: Instance;
  readonly options: BenchOptions;
}

/** Measures and prints what the platform does under each load; the last one is the greatest. */
export async function measurePlatform(
  { instance, options }: Measured,
  driver: Driver,
  workflowIds: readonly string[],
): Promise<LoadFigures[]> {
  const { temporalAddress } = instance;
  const meters = platformMeters(instance, driver);
  const loads: LoadFigures[] = [];
  let firstChat = 1;
  for (const chats of CHATS) {
    loads.push(await measureLoad({ ...options, driver, temporalAddress, workflowIds, meters, firstChat, chats }));
    firstChat += chats;
  }
  printHeading(
    'Turns a second, each chat sending its next message when the last turn has ended; events and workflow tasks a turn; CPU ms a turn; load in % of a core',
  );
  printLoads(loads);
  return loads;
}

/** Returns the processes of the platform, of the model and of a driver. */
export function platformMeters(instance: Instance, driver: Driver): CpuMeters {
  const pids = [...Object.entries(instance.pids), ['driver', driver.pid] as const];
  return new Map(pids.map(([name, pid]) => [name, () => cpuMs(pid)]));
}

/** The figures of the floor: the median latency from the signal to the activity, and those under each load. */
interface FloorFigures {
  readonly latency: number;
  readonly loads: readonly LoadFigures[];
}

/** Measures and prints the floor, the greatest load first, right after the platform's own. */
export async function measureFloor({ instance, options }: Measured, undo: Undo): Promise<FloorFigures> {
  const { driver, workflowIds, meters } = await startFloor(instance, MOST_CHATS, undo);
  const { temporalAddress } = instance;
  const loads: LoadFigures[] = [];
  for (const chats of CHATS.toReversed()) {
    const measureMs = options.floorMeasureMs;
    loads.unshift(
      await measureLoad({ ...options, driver, temporalAddress, workflowIds, meters, firstChat: 0, chats, measureMs }),
    );
  }
  const { turns } = await driver.run({ type: 'latency', turns: options.latencyTurns / 2, pauseMs: PAUSE_MS });
  await driver.stop();
  const latencies = turns.map(({ sentAt, firstAt }) => firstAt - sentAt);
  printHeading('The floor: a bare lingering workflow with one empty activity, on the same Temporal server');
  printRows([
    ['', 'p50', 'p95'],
    ['signal -> activity (ms)', figure(quantile(latencies, 0.5)), figure(quantile(latencies, 0.95))],
  ]);
  printLoads(loads);
  return { latency: quantile(latencies, 0.5), loads };
}

/** Prints loads, a line each, which begins with the number of chats or with a name of its own. */
export function printLoads(loads: readonly (LoadFigures & { readonly name?: string })[]): void {
  const names = [...(loads[0]?.cpuPerTurn.keys() ?? [])];
  printRows([
    ['chats', 'turns/s', 'p50 ms', 'p95 ms', 'failed', 'events', 'tasks', ...names, 'all', 'driver load', 'others'],
    ...loads.map(
      ({
        chats,
        name = String(chats),
        turnsPerSecond,
        p50,
        p95,
        failed,
        eventsPerTurn,
        tasksPerTurn,
        cpuPerTurn,
        driverLoad,
        othersLoad,
      }) => [
        name,
        figure(turnsPerSecond),
        figure(p50),
        figure(p95),
        String(failed),
        figure(eventsPerTurn),
        figure(tasksPerTurn),
        ...names.map((name) => figure(cpuPerTurn.get(name) ?? Number.NaN)),
        figure(sum([...cpuPerTurn.values()])),
        `${figure(driverLoad * 100, 0)} %`,
        `${figure(othersLoad * 100, 0)} %`,
      ],
    ),
  ]);
}
