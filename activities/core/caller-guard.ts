import { ApplicationFailure, type Info } from '@temporalio/activity';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Logger } from 'pino';

/** A workflow that may run an activity with some input: its type, and its id or the prefix of its id. */
export interface WorkflowCaller {
  readonly type: string;
  readonly id: string | { readonly prefix: string };
}

/** Names the workflows that may run each activity with an input. */
export type WorkflowCallers = Readonly<Record<string, (input: never) => readonly WorkflowCaller[]>>;

/**
 * Rejects an activity unless its own workflow requests it. Anybody who reaches the Temporal server can ask a worker for
 * an activity, directly or from another workflow; this restricts the input to the subject of the workflow's id.
 */
export function callerGuard(callers: WorkflowCallers, log: Logger): ActivityInterceptorsFactory {
  return ({ info }) => ({
    inbound: {
      execute: async (input, next) => {
        if (isCalledBy(callers, info, input.args)) return next(input);
        const { activityType, workflowType, workflowExecution } = info;
        log.warn(
          { activity: activityType, workflowType, workflow: workflowExecution?.workflowId },
          'activity rejected: its workflow did not request it',
        );
        const rejection = ApplicationFailure.nonRetryable('not requested by its workflow', 'WrongCaller');
        // The caller can read the history.
        rejection.stack = '';
        throw rejection;
      },
    },
  });
}

function isCalledBy(callers: WorkflowCallers, info: Info, args: unknown[]): boolean {
  const { activityType, workflowType, workflowExecution } = info;
  const [input] = args;
  const callersOf = Object.hasOwn(callers, activityType) ? callers[activityType] : undefined;
  if (callersOf === undefined || workflowExecution === undefined) return false;
  if (args.length !== 1 || typeof input !== 'object' || input === null) return false;
  const { workflowId } = workflowExecution;
  return callersOf(input as never).some(
    ({ type, id }) =>
      type === workflowType && (typeof id === 'string' ? id === workflowId : workflowId.startsWith(id.prefix)),
  );
}
