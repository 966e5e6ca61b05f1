import { condition, continueAsNew, sleep, workflowInfo } from '@temporalio/workflow';
import type { ConversationInput } from './contract.ts';
import { driveTurn } from './drive-turn.ts';
import { watchWakes } from './wake-flag.ts';

/**
 * How long an idle conversation stays open at least: a turn in an open one costs a third of one that must be started.
 */
const LINGER = '30 seconds';

/** Runs the open turns of a chat one after the other, waits a while for the next, and completes. */
export async function conversation(input: ConversationInput): Promise<void> {
  const wake = watchWakes(true);
  const linger = startLinger();
  const keepHistoryShort = async () => {
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof conversation>(input);
  };
  for (;;) {
    await condition(() => wake.isRaised || linger.isOver);
    if (!wake.isRaised) return;
    const hasMore = await linger.during(() => driveTurn(input, wake, keepHistoryShort));
    wake.isRaised ||= hasMore;
    await keepHistoryShort();
  }
}

// One timer every half minute instead of one for each turn, which would be started and cancelled in the history each
// time.
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
