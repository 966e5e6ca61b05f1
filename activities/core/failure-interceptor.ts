import { ApplicationFailure, CompleteAsyncError } from '@temporalio/activity';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Logger } from 'pino';
import { isPassing } from './passing-error.ts';

/** Ends an attempt that another worker should repeat at once. */
export class HandOver extends Error {
  override readonly name = 'HandOver';
}

/** Ends an attempt that is to be retried once a slot is free, so that it occupies no worker until then. */
export class NoFreeSlot extends Error {
  override readonly name = 'NoFreeSlot';
}

/** Ends an activity that met an unexpected error, its cause, once its rows say so and when it is done again. */
export class NotedFault extends Error {
  override readonly name = 'NotedFault';

  constructor(cause: unknown) {
    super('an unexpected error is noted in the rows', { cause });
  }
}

/** The first and the longest wait for a slot. An interrupt reaches a waiting call with its next attempt. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 10_000;

// Random, so that calls that were delayed together do not come back together.
function slotWaitMs(attempt: number): number {
  return Math.min(FIRST_WAIT_MS * 1.5 ** Math.min(attempt, 20), LONGEST_WAIT_MS) * (0.75 + Math.random() / 4);
}

/** Attempts, the last of them with an unexpected error, after which an activity is left to a scan of the rows. */
const MAX_ATTEMPTS = 10;

/**
 * Keeps error details out of the histories: messages can contain fragments of prompts, addresses and keys, and Temporal
 * stores them in clear. The log gets the whole error, the history its kind. An error that does not pass by itself is
 * not met for ever: after a number of attempts the activity fails, and a scan finds what its rows leave undone.
 */
export function failureInterceptor(log: Logger): ActivityInterceptorsFactory {
  return (context) => ({
    inbound: {
      execute: async (input, next) => {
        try {
          return await next(input);
        } catch (error) {
          if (error instanceof CompleteAsyncError) throw error;
          if (error instanceof HandOver) throw toFailure('HandOver', { nextRetryDelay: 1 });
          if (error instanceof NoFreeSlot)
            throw toFailure('NoFreeSlot', { nextRetryDelay: Math.ceil(slotWaitMs(context.info.attempt)) });
          const { activityType, attempt, workflowExecution } = context.info;
          const isLast = error instanceof NotedFault || (attempt >= MAX_ATTEMPTS && isFault(error, activityType));
          log[isLast ? 'error' : 'warn'](
            { err: error, activity: activityType, attempt, workflow: workflowExecution?.workflowId },
            isLast ? 'an activity is given up' : 'activity attempt failed',
          );
          throw toFailure(error instanceof Error ? error.name : 'Error', { nonRetryable: isLast });
        }
      },
    },
  });
}

// The rows of a turn count its faults, and its workflow must not end before it has.
const COUNTED_BY_ROWS: ReadonlySet<string> = new Set(['runNextTurn', 'runTool']);

function isFault(error: unknown, activityType: string): boolean {
  return !COUNTED_BY_ROWS.has(activityType) && !isPassing(error);
}

function toFailure(
  type: string,
  options: { readonly nextRetryDelay?: number; readonly nonRetryable?: boolean },
): ApplicationFailure {
  const failure = ApplicationFailure.create({ message: "see the worker's log", type, ...options });
  failure.stack = '';
  return failure;
}
