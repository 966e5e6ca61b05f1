import { type DueSchedule, fireSchedule, takeDueSchedules } from '../../../db/schedules/index.ts';
import { settleAll } from '../../../domain/core/settle-all.ts';
import type { OrgLimits } from '../../../domain/orgs/index.ts';
import { BATCH, type Sweep, type SweepDeps } from '../sweep.ts';

/** Batches that one look fires at most, so that a worker that stops need not wait for a long backlog. */
const MAX_BATCHES = 40;

/** Starts the runs of schedules whose slots are due: batch after batch, as many schedules share a full hour. */
export const fireDueSchedules = (limits: OrgLimits): Sweep => ({
  name: 'fire due schedules',
  run: async (deps) => {
    for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
      const due = await takeDueSchedules(deps.database, BATCH, new Date());
      await settleAll(due.map(async (each) => fire(deps, each, limits)));
      if (due.length < BATCH) return;
    }
  },
});

async function fire({ database, advanceRun }: SweepDeps, due: DueSchedule, limits: OrgLimits): Promise<void> {
  const begun = await fireSchedule(database, due, new Date(), limits);
  await settleAll(begun.map(async (runId) => advanceRun({ orgId: due.orgId, runId })));
}
