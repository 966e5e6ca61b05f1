import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { TurnsInput } from './contract.ts';
import { driveTurn } from './drive-turn.ts';
import { watchWakes } from './wake-flag.ts';

/** Does the work of a sub-agent. The turn above it waits for this to complete and then finds the result in its rows. */
export async function subAgent(input: TurnsInput): Promise<void> {
  await driveTurn(input, watchWakes(), async () => {
    if (workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof subAgent>({ ...input, triesShortTurns: true });
  });
}
