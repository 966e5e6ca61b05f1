import {
  type ActivityOptions,
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { WAKE } from '../core/contract.ts';
import { type KindOfWork, WORKFLOWS_OF_WORK, type WorkResult } from './contract.ts';

type Workflow = (rows: object) => Promise<void>;

interface Options {
  readonly activity: string;
  readonly options: ActivityOptions;
  readonly keepsWaits?: boolean;
}

/**
 * Creates a workflow that does the work described by rows whenever it is due, until there is none. Between two times it
 * waits for the next one, or for a signal that the rows have changed. Once the history has become long, it continues as
 * new.
 */
function workWhenDue({ activity, options, keepsWaits = false }: Options): Workflow {
  const activities = proxyActivities<Record<string, (rows: object) => Promise<WorkResult>>>(options);
  return async (rows) => {
    let wakes = 0;
    setHandler(defineSignal(WAKE), () => {
      wakes += 1;
    });
    for (;;) {
      const seen = wakes;
      const waitMs = waitOf(await activities[activity]?.(rows));
      // A signal may have come after the work has read the rows.
      if (waitMs === null && wakes === seen) return;
      if (waitMs !== null && waitMs > 0) await condition(() => !keepsWaits && wakes > seen, waitMs);
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<Workflow>(rows);
    }
  };
}

function waitOf(result: WorkResult): number | null {
  if (typeof result === 'number') return result;
  return result instanceof Object && !result.hasEnded ? result.waitMs : null;
}

type TypeOfWorkflow = (typeof WORKFLOWS_OF_WORK)[KindOfWork]['type'];

/** The workflows of due work, by their types. */
export const workflowsOfWork = Object.fromEntries(
  Object.values(WORKFLOWS_OF_WORK).map((each) => [each.type, workWhenDue(each)]),
) as Readonly<Record<TypeOfWorkflow, Workflow>>;
