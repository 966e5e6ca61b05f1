import { ApplicationFailure, CompleteAsyncError } from '@temporalio/activity';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Logger } from 'pino';

/** Ends an attempt that another worker should repeat at once. */
export class HandOver extends Error {
  override readonly name = 'HandOver';
}

/** Ends an attempt that should be repeated when a place has become free; it occupies no worker meanwhile. */
export class NoPlace extends Error {
  override readonly name = 'NoPlace';
}

/** The first and the longest wait for a place. An interrupt reaches a waiting call with its next attempt. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 10_000;

// Random, so that calls that were held together do not come back together.
function placeWaitMs(attempt: number): number {
  return Math.min(FIRST_WAIT_MS * 1.5 ** Math.min(attempt, 20), LONGEST_WAIT_MS) * (0.75 + Math.random() / 4);
}

/**
 * Keeps error details out of the histories: messages can hold fragments of prompts, addresses and keys, and Temporal
 * stores them in clear. The log gets the whole error, the history its kind.
 */
export function failureInterceptor(log: Logger): ActivityInterceptorsFactory {
  return (context) => ({
    inbound: {
      execute: async (input, next) => {
        try {
          return await next(input);
        } catch (error) {
          if (error instanceof CompleteAsyncError) throw error;
          if (error instanceof HandOver) throw toFailure('HandOver', 1);
          if (error instanceof NoPlace) throw toFailure('NoPlace', Math.ceil(placeWaitMs(context.info.attempt)));
          const { activityType, attempt, workflowExecution } = context.info;
          log.warn(
            { err: error, activity: activityType, attempt, workflow: workflowExecution?.workflowId },
            'activity attempt failed',
          );
          throw toFailure(error instanceof Error ? error.name : 'Error', undefined);
        }
      },
    },
  });
}

function toFailure(type: string, nextRetryDelay: number | undefined): ApplicationFailure {
  const failure = ApplicationFailure.create({
    message: "see the worker's log",
    type,
    ...(nextRetryDelay !== undefined && { nextRetryDelay }),
  });
  failure.stack = '';
  return failure;
}
