import { type ActivityOptions, proxyActivities } from '@temporalio/workflow';
import { SHORT_WORKFLOWS, type TypeOfShort } from './contract.ts';

type Workflow = (input: object) => Promise<unknown>;

interface Options {
  readonly activity: string;
  readonly options: ActivityOptions;
}

function runOnce({ activity, options }: Options): Workflow {
  const activities = proxyActivities<Record<string, Workflow>>({
    ...options,
    // Whoever asked is waiting and can ask again. A code of a sign-in is good for one use, and a call of a tool may
    // have an effect that must not happen twice.
    retry: { maximumAttempts: 1 },
  });
  return async (input) => activities[activity]?.(input);
}

/** The short workflows, by their types. */
export const shortWorkflows = Object.fromEntries(
  Object.entries(SHORT_WORKFLOWS).map(([type, each]) => [type, runOnce(each)]),
) as Readonly<Record<TypeOfShort, Workflow>>;
