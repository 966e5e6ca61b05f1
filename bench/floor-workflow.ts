import {
  condition,
  continueAsNew,
  defineSignal,
  executeChild,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';

/** The activity of the floor: does nothing but tell that it runs. */
export interface FloorActivities {
  floorTurn(chat: number): Promise<void>;
}

/** Runs a number of activities at the same time, or a child workflow with one. */
export type FloorStep = number | 'child';

const { floorTurn } = proxyActivities<FloorActivities>({ startToCloseTimeout: '1 minute' });

/**
 * Runs the least that a durable turn can be: a workflow that lingers, woken by a signal that says which steps the
 * turn takes, one after the other; a plain turn is one step of one activity.
 */
export async function floorConversation(chat: number, turns: FloorStep[][] = []): Promise<void> {
  setHandler(defineSignal<[FloorStep[]]>('wake'), (steps) => {
    turns.push(steps);
  });
  while (turns.length > 0 || (await condition(() => turns.length > 0, '40 seconds'))) {
    for (const step of turns.shift() ?? []) await take(step, chat);
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof floorConversation>(chat, turns);
  }
}

/** Runs the least that the work of a sub-agent can be. */
export async function floorChild(chat: number): Promise<void> {
  await floorTurn(chat);
}

async function take(step: FloorStep, chat: number): Promise<void> {
  if (step === 'child') await executeChild(floorChild, { args: [chat] });
  else await Promise.all(Array.from({ length: step }, () => floorTurn(chat)));
}
