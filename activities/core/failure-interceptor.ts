import { ApplicationFailure, CompleteAsyncError } from '@temporalio/activity';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Logger } from 'pino';

/** An attempt that should be repeated at once by whichever worker is there. */
export class HandOver extends Error {
  override readonly name = 'HandOver';
}

/**
 * Keeps what went wrong out of the histories: messages of failures can hold fragments of prompts, addresses and keys,
 * and Temporal stores them in clear. The log has the whole error, the history its kind.
 */
export function failureInterceptor(log: Logger): ActivityInterceptorsFactory {
  return (context) => ({
    inbound: {
      execute: async (input, next) => {
        try {
          return await next(input);
        } catch (error) {
          if (error instanceof CompleteAsyncError) throw error;
          if (error instanceof HandOver) throw toFailure('HandOver', '1ms');
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

function toFailure(type: string, nextRetryDelay: '1ms' | undefined): ApplicationFailure {
  const failure = ApplicationFailure.create({
    message: 'see the log of the worker',
    type,
    ...(nextRetryDelay && { nextRetryDelay }),
  });
  failure.stack = '';
  return failure;
}
