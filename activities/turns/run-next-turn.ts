import { setTimeout as sleep } from 'node:timers/promises';
import { hasOpenTurn } from '../../db/turns/leases.ts';
import type { NextTurnInput, NextTurnResult, ShortTurnResult } from '../../workflows/turns/contract.ts';
import { activityCancellation } from '../core/cancellation.ts';
import { HandOver } from '../core/failure-interceptor.ts';
import { type StepsDeps, takeSteps } from './take-steps.ts';

/**
 * How long the local activity waits for a turn. Below four fifths of the workflow task's timeout, after which the SDK
 * would have to keep the task alive with a request of its own.
 */
const SHORT_TURN_MS = 4_000;

/**
 * Makes the activity that joins the chat's oldest open turn and waits as long as it takes. Its effects are stored
 * when it returns, and it may be repeated after any crash.
 */
export function createRunNextTurn(deps: StepsDeps) {
  return async function runNextTurn(input: NextTurnInput): Promise<NextTurnResult> {
    const { cancelled } = activityCancellation();
    return untilAborted(joinTurn(deps, input, cancelled), cancelled);
  };
}

/**
 * Makes the local activity that does the same for a short turn: it leaves no events of its own in the history. A turn
 * that takes longer continues, and `runNextTurn` is to wait for it.
 */
export function createRunShortTurn(deps: StepsDeps) {
  return async function runShortTurn(input: NextTurnInput): Promise<ShortTurnResult> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), SHORT_TURN_MS);
    try {
      return await untilAborted(joinTurn(deps, input, limit.signal), limit.signal);
    } catch (error) {
      // A failure is tried again by the ordinary activity, which has retries.
      if (!(error instanceof HandOver)) deps.turns.log.warn({ err: error }, 'a short turn failed');
      return 'unfinished';
    } finally {
      clearTimeout(timer);
    }
  };
}

// The run itself belongs to the process: only the wait for it ends.
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(new HandOver());
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** How often to check whether the process with the turn's lease has ended it, or is gone. */
const FOREIGN_POLL_MS = 250;

const DONE: NextTurnResult = { hasMore: false };

/**
 * Waits, on behalf of the workflow, for the chat's oldest open turn: joins the run of this process, begins one, or
 * waits for that of another process to end or to lose its lease. Throws when `givenUp` aborts while it waits for
 * another process; a run of this process continues.
 */
async function joinTurn(deps: StepsDeps, chat: NextTurnInput, givenUp: AbortSignal): Promise<NextTurnResult> {
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
