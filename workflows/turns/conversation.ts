import { condition, continueAsNew, sleep, workflowInfo } from '@temporalio/workflow';
import { LINGER_MS, type TurnsInput } from './contract.ts';
import { driveTurn, type WakeFlag, watchWakes } from './drive-turn.ts';

/**
 * Runs the open turns of a chat one after the other, waits a while for the next, and completes. A conversation that
 * does not linger completes as soon as no turn is open: most chats get no second message soon, and a timer would cost
 * each of them two more tasks.
 */
export async function conversation(input: TurnsInput): Promise<void> {
  const wake = watchWakes();
  wake.raise(input.seq);
  const driveNext = async () => {
    const keepHistoryShort = async () => {
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof conversation>(restartInput(input));
    };
    if (await driveTurn(input, wake, keepHistoryShort)) wake.raise(undefined);
    await keepHistoryShort();
  };
  if (input.lingers === false) while (wake.isRaised) await driveNext();
  else await lingerOn(wake, driveNext);
}

async function lingerOn(wake: WakeFlag, driveNext: () => Promise<void>): Promise<void> {
  const linger = startLinger();
  for (;;) {
    await condition(() => wake.isRaised || linger.isOver);
    if (!wake.isRaised) return;
    await linger.during(driveNext);
  }
}

// A restarted run continues with whatever is open.
function restartInput({ orgId, chatId, lingers }: TurnsInput): TurnsInput {
  return { orgId, chatId, triesShortTurns: true, ...(lingers !== undefined && { lingers }) };
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
      await sleep(LINGER_MS);
    }
    linger.isOver = true;
  })();
  return linger;
}

/** Does the work of a sub-agent. The turn above it waits for this to complete and then finds the result in its rows. */
export async function subAgent(input: TurnsInput): Promise<void> {
  await driveTurn(input, watchWakes(), async () => {
    if (workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof subAgent>({ ...input, triesShortTurns: true });
  });
}
