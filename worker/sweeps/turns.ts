import { findDueTurns, makeOpenTurnsDue, postponeWake, retryWake } from '../../db/turns/index.ts';
import { settleAll } from '../../domain/core/settle-all.ts';
import { wakeConversation } from '../../workflows/turns/client.ts';
import { BATCH, type Sweep, type SweepDeps } from './sweep.ts';

/**
 * Makes the sweep that goes on with turns that should have moved: the process that ran them is gone, their signal was
 * lost because Temporal could not be reached, or Temporal lost its store. Wakes their conversations, and takes the
 * turns up here, since a conversation may first have to be replayed. Both are harmless when they were not needed. The
 * first run takes every open turn as due.
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

async function wakeBatch({ database, client, takeUp }: SweepDeps): Promise<void> {
  const due = await findDueTurns(database, BATCH);
  const woken: string[] = [];
  const failed: string[] = [];
  const wakes = due.map(async (turn) => {
    await wakeConversation(client, turn).catch((error: unknown) => {
      failed.push(turn.turnId);
      throw error;
    });
    woken.push(turn.turnId);
    takeUp(turn);
  });
  try {
    await settleAll(wakes);
  } finally {
    if (woken.length > 0) await postponeWake(database, woken);
    if (failed.length > 0) await retryWake(database, failed);
  }
}
