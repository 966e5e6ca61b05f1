import { cancellationSignal, Context, type Info } from '@temporalio/activity';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';

/** How an activity learns that it must end. */
export interface Cancellation {
  readonly cancelled: AbortSignal;
  /** Whether its worker is shutting down, as opposed to another attempt having taken over. */
  readonly isShutdown: () => boolean;
  /** Absent for work that no activity was asked for. */
  readonly activity?: Info;
}

/**
 * Returns the cancellation of the running activity. Call it before anything is awaited: later there may be no context
 * to read it from.
 */
export function activityCancellation(): Cancellation {
  const context = Context.current();
  return {
    cancelled: cancellationSignal(),
    activity: context.info,
    isShutdown: () => context.cancellationDetails?.workerShutdown === true,
  };
}

/** Waits for work until a signal aborts, whose reason is then thrown; the work itself continues. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Well below the heartbeat timeouts of the workflows, so that a busy process is not taken for dead. */
const INTERVAL_MS = 2_000;

/** Reports to Temporal that an attempt is alive, for as long as it takes, where its workflow expects heartbeats. */
export const heartbeatInterceptor: ActivityInterceptorsFactory = (context) => ({
  inbound: {
    execute: async (input, next) => {
      if ((context.info.heartbeatTimeoutMs ?? 0) === 0) return next(input);
      const timer = setInterval(() => context.heartbeat(), INTERVAL_MS);
      try {
        return await next(input);
      } finally {
        clearInterval(timer);
      }
    },
  },
});
