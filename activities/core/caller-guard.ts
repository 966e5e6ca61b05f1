import { ApplicationFailure, type Info } from '@temporalio/activity';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Logger } from 'pino';

/** A workflow that may run an activity with some input: its type and its id, or how its id begins. */
export interface WorkflowCaller {
  readonly type: string;
  readonly id: string | { readonly prefix: string };
}

/** Tells, for each activity by its name, which workflows may run it with an input. */
export type WorkflowCallers = Readonly<Record<string, (input: never) => readonly WorkflowCaller[]>>;

/**
 * Refuses to run an activity for anybody but the workflow that it belongs to. Whoever reaches the Temporal server can ask a
 * worker for an activity, by itself or from another workflow; this keeps the input to what the workflow's id is about.
 */
export function callerGuard(callers: WorkflowCallers, log: Logger): ActivityInterceptorsFactory {
  return ({ info }) => ({
    inbound: {
      execute: async (input, next) => {
        if (isCalledBy(callers, info, input.args)) return next(input);
        const { activityType, workflowType, workflowExecution } = info;
        log.warn(
          { activity: activityType, workflowType, workflow: workflowExecution?.workflowId },
          'activity refused: it was not asked for by its workflow',
        );
        const rejection = ApplicationFailure.nonRetryable('not asked for by its workflow', 'WrongCaller');
        // Whoever asked can read the history.
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
