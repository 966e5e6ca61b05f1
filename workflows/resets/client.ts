import type { Client } from '@temporalio/client';
import { v7 as uuidv7 } from 'uuid';

/** Workflows whose tasks have failed several times in a row, as when their histories no longer replay. */
const FAILING =
  "ExecutionStatus = 'Running' AND TemporalReportedProblems IN ('category=WorkflowTaskFailed', 'category=WorkflowTaskTimedOut')";
/** Those that one call resets at most. */
const MAX_RESETS = 1_000;
/** Workflows of one page of their list, and events of one page of a history. */
const PAGE = { workflows: 20, events: 100 };
/** The time in which their list is to be read, and one is to be reset, in milliseconds. */
const LIMITS = { listMs: 30_000, resetMs: 5_000 };

interface Run {
  readonly workflowId: string;
  readonly runId: string;
}

type HistoryPage = Awaited<ReturnType<Client['workflowService']['getWorkflowExecutionHistory']>>;

/**
 * Resets the workflows whose tasks keep failing: they read their rows again. What fails with the present code is reset
 * again by the next call, so that a version with a fix finds it. One that cannot be reset keeps no other from it;
 * throws at the end. Throws at once when Temporal does not respond.
 */
export async function resetFailing(client: Client): Promise<void> {
  const found: Run[] = [];
  await client.withDeadline(Date.now() + LIMITS.listMs, async () => {
    for await (const { workflowId, runId } of client.workflow.list({ query: FAILING, pageSize: PAGE.workflows })) {
      found.push({ workflowId, runId });
      if (found.length === MAX_RESETS) return;
    }
  });
  const failures: unknown[] = [];
  for (const run of found)
    await client
      .withDeadline(Date.now() + LIMITS.resetMs, async () => resetRun(client, run))
      .catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} workflows could not be reset`);
}

// The list may be some seconds old: a run that has ended, and one of the same id that has begun since, are left alone.
async function resetRun(client: Client, { workflowId, runId }: Run): Promise<void> {
  const { status } = await client.workflow.getHandle(workflowId, runId).describe();
  if (status.name === 'RUNNING') await resetToBeginning(client, workflowId, runId);
}

/** Restarts a run of a workflow with its input. One that has not begun stays as it is. */
export async function resetToBeginning(
  { workflowService, options }: Client,
  workflowId: string,
  runId?: string,
): Promise<void> {
  const execution = { workflowId, ...(runId !== undefined && { runId }) };
  const { namespace } = options;
  // Its events to the end of the first task are all that is kept.
  let nextPageToken: Uint8Array | null = null;
  do {
    const page: HistoryPage = await workflowService.getWorkflowExecutionHistory({
      namespace,
      execution,
      maximumPageSize: PAGE.events,
      nextPageToken,
    });
    const firstTask = page.history?.events?.find(
      ({ workflowTaskCompletedEventAttributes: completed, workflowTaskFailedEventAttributes: failed }) =>
        completed != null || failed != null,
    );
    if (firstTask !== undefined) {
      const workflowTaskFinishEventId = firstTask.eventId ?? null;
      const reset = { namespace, workflowExecution: execution, workflowTaskFinishEventId, requestId: uuidv7() };
      await workflowService.resetWorkflowExecution(reset);
      return;
    }
    nextPageToken = page.nextPageToken ?? null;
  } while (nextPageToken !== null && nextPageToken.length > 0);
}
