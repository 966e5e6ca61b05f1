import { setTimeout as sleep } from 'node:timers/promises';
import { hasOpenTurn } from '../../../db/turns/index.ts';
import type { NextTurnInput, NextTurnResult } from '../../../workflows/turns/contract.ts';
import { type StepsDeps, takeSteps } from '../take-steps.ts';

/** How often it is asked whether the process that holds the turn's lease has ended it, or is gone. */
const FOREIGN_POLL_MS = 250;

const DONE: NextTurnResult = { hasMore: false };

/**
 * Takes the chat's oldest open turn on for its workflow: joins the run of this process, begins one, or waits for that
 * of another process to end or to lose its lease. Throws when `givenUp` aborts while it waits for another process; a
 * run of this process goes on.
 */
export async function joinTurn(deps: StepsDeps, chat: NextTurnInput, givenUp: AbortSignal): Promise<NextTurnResult> {
  for (;;) {
    givenUp.throwIfAborted();
    // A turn behind the one that the workflow was woken for begins with a head start of its own, or is found by the
    // recovery.
    const ended = chat.seq === undefined ? undefined : deps.runs.ended(chat, chat.seq);
    if (ended !== undefined) return ended;
    const running = deps.runs.get(chat);
    if (running !== undefined) running.isFollowed = true;
    const run = running ?? deps.runs.begin(chat, async (self) => takeSteps(deps, chat, self), { isFollowed: true });
    const result = await run.result;
    if (result === undefined) {
      // A run that was joined may have read the rows before the turn was there.
      if (running !== undefined) continue;
      if (!(await hasOpenTurn(deps.turns.database, chat))) return DONE;
      await sleep(FOREIGN_POLL_MS, undefined, { signal: givenUp });
      continue;
    }
    // A run that was joined may have ended its turn before the message of this wake was stored.
    if (running === undefined || result.hasMore || result.next !== undefined) return result;
  }
}
