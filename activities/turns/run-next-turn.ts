import type { NextTurnInput, NextTurnResult, ShortTurnResult } from '../../workflows/turns/contract.ts';
import { activityCancellation } from '../core/cancellation.ts';
import { HandOver } from '../core/failure-interceptor.ts';
import { withHeartbeat } from '../core/with-heartbeat.ts';
import { joinTurn } from './runs/join-turn.ts';
import type { StepsDeps } from './take-steps.ts';

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
    return withHeartbeat(async () => untilAborted(joinTurn(deps, input, cancelled), cancelled));
  };
}

/**
 * Makes the local activity that does the same for a short turn: it leaves no events of its own in the history. A turn
 * that takes longer goes on, and `runNextTurn` is to wait for it.
 */
export function createRunShortTurn(deps: StepsDeps) {
  return async function runShortTurn(input: NextTurnInput): Promise<ShortTurnResult> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), SHORT_TURN_MS);
    try {
      return await untilAborted(joinTurn(deps, input, limit.signal), limit.signal);
    } catch (error) {
      // What failed is tried again by the ordinary activity, which has retries.
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
