import { cancellationSignal, Context, type Info } from '@temporalio/activity';

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
