import type { Undo } from '../../test/support/undo.ts';
import { Driver } from '../drivers/driver.ts';
import { type CpuMeters, cpuMs } from '../figures/cpu-window.ts';
import type { Instance } from '../instance/instance.ts';

/** The floor: bare workflows that are driven as the chats are, on the same Temporal server. */
export interface Floor {
  readonly driver: Driver;
  /** By the number of the chat. */
  readonly workflowIds: readonly string[];
  readonly meters: CpuMeters;
}

/** Starts the floor with so many workflows. */
export async function startFloor(instance: Instance, chats: number, undo: Undo): Promise<Floor> {
  const { driver, ready } = await Driver.start('floor', [instance.temporalAddress, String(chats)]);
  undo.add(async () => driver.stop());
  const workerPid = ready.workerPid ?? 0;
  const meters = new Map([
    ['worker', () => cpuMs(workerPid)],
    ['Temporal', () => cpuMs(instance.pid('Temporal') ?? 0)],
    // The worker is a child of the driver. What is left stands for the api: it sends the signals.
    ['client', () => cpuMs(driver.pid) - cpuMs(workerPid)],
  ]);
  return { driver, workflowIds: ready.workflowIds, meters };
}
