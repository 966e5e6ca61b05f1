import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { type ConversationInput, WAKE } from './contract.ts';

const { runNextTurn } = proxyActivities<Activities>({
  // Longer than any answer may take (the model call has a limit of its own): this one only ends a hung attempt.
  startToCloseTimeout: '1 hour',
  // How long a killed worker goes unnoticed; the turn then begins anew elsewhere.
  heartbeatTimeout: '8 seconds',
  // Without an end: what fails here is the database or the worker, and the turn itself counts its attempts.
  retry: { initialInterval: '300ms', backoffCoefficient: 2, maximumInterval: '5s' },
});

/** How long an idle conversation stays open at least: a turn in an open one costs a third of one that must be started. */
const LINGER = '30 seconds';

/** Answers the open turns of a chat one after the other, waits a while for the next, and completes. */
export async function conversation(input: ConversationInput): Promise<void> {
  let isAwake = true;
  setHandler(defineSignal(WAKE), () => {
    isAwake = true;
  });
  const linger = startLinger();
  for (;;) {
    await condition(() => isAwake || linger.isOver);
    if (!isAwake) return;
    isAwake = false;
    const { hasMore } = await linger.during(() => runNextTurn(input));
    isAwake ||= hasMore;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof conversation>(input);
  }
}

// One timer every half minute in place of one a turn, which would be started and cancelled in the history each time.
function startLinger() {
  const linger = {
    isOver: false,
    isBusy: false,
    wasBusy: true,
    during: async <T>(work: () => Promise<T>): Promise<T> => {
      linger.isBusy = true;
      const result = await work();
      linger.isBusy = false;
      linger.wasBusy = true;
      return result;
    },
  };
  void (async () => {
    while (linger.isBusy || linger.wasBusy) {
      linger.wasBusy = false;
      await sleep(LINGER);
    }
    linger.isOver = true;
  })();
  return linger;
}
