import { findDueTurns, makeOpenTurnsDue, postponeWake } from '../../db/turns/index.ts';
import { wakeConversation } from '../../workflows/turns/client.ts';
import { BATCH, type Sweep, type SweepDeps } from './sweep.ts';

/**
 * Makes the sweep that wakes the conversations of turns that should have moved: their signal was lost because Temporal
 * could not be reached, or Temporal lost its store. A surplus wake is harmless. The first run takes every open turn as due.
 */
export function wakeDueTurns(): Sweep {
  let isFirst = true;
  return {
    name: 'wake due turns',
    run: async (deps) => {
      if (isFirst) await makeOpenTurnsDue(deps.database);
      isFirst = false;
      await wakeBatch(deps);
    },
  };
}

async function wakeBatch({ database, client }: SweepDeps): Promise<void> {
  const due = await findDueTurns(database, BATCH);
  const results = await Promise.allSettled(
    due.map(async (turn) => wakeConversation(client, turn).then(() => turn.turnId)),
  );
  const woken = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  if (woken.length > 0) await postponeWake(database, woken);
  const failure = results.find((result) => result.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
}
