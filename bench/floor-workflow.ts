import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';

/** The activity of the floor: does nothing but tell that it runs. */
export interface FloorActivities {
  floorTurn(chat: number): Promise<void>;
}

const { floorTurn } = proxyActivities<FloorActivities>({ startToCloseTimeout: '1 minute' });

/** The least that a durable turn can be: a workflow that lingers, woken by a signal, with one activity a turn. */
export async function floorConversation(chat: number): Promise<void> {
  let isAwake = true;
  setHandler(defineSignal('wake'), () => {
    isAwake = true;
  });
  while (isAwake || (await condition(() => isAwake, '40 seconds'))) {
    isAwake = false;
    await floorTurn(chat);
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof floorConversation>(chat);
  }
}
