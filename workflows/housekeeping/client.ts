import { type Client, ScheduleAlreadyRunning, type ScheduleOptions, ScheduleOverlapPolicy } from '@temporalio/client';
import { TASK_QUEUE } from '../core/contract.ts';
import { HOUSEKEEPING, housekeepingId, type HousekeepingInput, INTERVALS } from './contract.ts';

const INTERVAL_MS = { minute: 60_000, hour: 3_600_000 } as const;
/** The intervals after which a run that hangs is ended, since it keeps later ones from starting. */
const MAX_INTERVALS = 10;

/** Creates the Schedules of the housekeeping that do not exist. */
export async function createHousekeeping({ schedule }: Client): Promise<void> {
  for (const interval of INTERVALS) {
    await schedule.create({ scheduleId: housekeepingId({ interval }), ...definitionOf(interval) }).catch((error) => {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    });
  }
}

/** Gives the Schedules of the housekeeping the definition that this version has. One that is paused stays paused. */
export async function updateHousekeeping({ schedule }: Client): Promise<void> {
  for (const interval of INTERVALS) {
    const handle = schedule.getHandle(housekeepingId({ interval }));
    await handle.update(({ state }) => ({ ...definitionOf(interval), state }));
  }
}

function definitionOf(interval: HousekeepingInput['interval']): Omit<ScheduleOptions, 'scheduleId'> {
  return {
    spec: { intervals: [{ every: INTERVAL_MS[interval] }] },
    action: {
      type: 'startWorkflow',
      workflowType: HOUSEKEEPING,
      workflowId: housekeepingId({ interval }),
      args: [{ interval } satisfies HousekeepingInput],
      taskQueue: TASK_QUEUE,
      workflowRunTimeout: MAX_INTERVALS * INTERVAL_MS[interval],
    },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: INTERVAL_MS.minute },
  };
}
