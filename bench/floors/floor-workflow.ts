import {
  condition,
  continueAsNew,
  defineSignal,
  executeChild,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';

/** The activity of the floor: does nothing but tell that it runs. */
export interface FloorActivities {
  floorTurn(chat: number): Promise<void>;
}

/** How the activities of a turn are run. */
export type FloorActivityKind = 'ordinary' | 'local';

/** Runs a number of activities at the same time, or a child workflow with one. */
export type FloorStep = number | 'child';

/** A turn: its steps, one after the other; a plain one is one step of one activity. */
export interface FloorTurn {
  readonly chat: number;
  readonly kind: FloorActivityKind;
  readonly steps: readonly FloorStep[];
}

const ordinary = proxyActivities<FloorActivities>({ startToCloseTimeout: '1 minute' });
const local = proxyLocalActivities<FloorActivities>({ startToCloseTimeout: '6 seconds' });

/** Runs the least that a durable turn can be: a workflow that lingers, woken by a signal with the turn. */
export async function floorConversation(turns: FloorTurn[] = []): Promise<void> {
  setHandler(defineSignal<[FloorTurn]>('wake'), (turn) => {
    turns.push(turn);
  });
  while (turns.length > 0 || (await condition(() => turns.length > 0, '40 seconds'))) {
    const turn = turns.shift();
    if (turn !== undefined) await take(turn);
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof floorConversation>(turns);
  }
}

/** Runs the least that the turn of a new chat can be: a workflow of its own, which ends with it. */
export async function floorOnce(turn: FloorTurn): Promise<void> {
  await take(turn);
}

/** Runs the least that the work of a sub-agent can be. */
export async function floorChild(chat: number): Promise<void> {
  await ordinary.floorTurn(chat);
}

async function take({ chat, kind, steps }: FloorTurn): Promise<void> {
  const { floorTurn } = kind === 'local' ? local : ordinary;
  for (const step of steps) {
    if (step === 'child') await executeChild(floorChild, { args: [chat] });
    else await Promise.all(Array.from({ length: step }, () => floorTurn(chat)));
  }
}
