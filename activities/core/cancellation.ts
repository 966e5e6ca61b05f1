import { cancellationSignal, Context } from '@temporalio/activity';

/** How an activity hears that it is to end. */
export interface Cancellation {
  readonly cancelled: AbortSignal;
  /** Whether it is because its worker is to end, and not because somebody else has taken it over. */
  readonly isShutdown: () => boolean;
}

/** That of the running activity; asked before anything is awaited, since later there may be no context to ask. */
export function activityCancellation(): Cancellation {
  const context = Context.current();
  return {
    cancelled: cancellationSignal(),
    isShutdown: () => context.cancellationDetails?.workerShutdown === true,
  };
}
