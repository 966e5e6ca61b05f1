import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { ConversationInput } from './contract.ts';
import { driveTurn } from './drive-turn.ts';
import { watchWakes } from './wake-flag.ts';

/** Does the work of a sub-agent. The turn above it waits for this to complete and then finds the result in its rows. */
export async function subAgent(place: ConversationInput): Promise<void> {
  await driveTurn(place, watchWakes(false), async () => {
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof subAgent>(place);
  });
}
