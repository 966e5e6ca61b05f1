import type { Client } from '@temporalio/client';
import { expect, test } from '@jest/globals';
import { resetFailing } from './client.ts';

/** A Temporal server on which the tasks of these workflows keep failing; it does not find those of `lost`. */
function engineWith(workflowIds: readonly string[], lost: readonly string[]) {
  const reset: string[] = [];
  const client = {
    options: { namespace: 'default' },
    withDeadline: async (_deadline: number, work: () => unknown) => work(),
    workflow: {
      async *list() {
        for (const workflowId of workflowIds) yield { workflowId, runId: 'run' };
      },
      getHandle: (workflowId: string) => ({
        describe: async () => {
          if (lost.includes(workflowId)) throw new Error(`${workflowId} is not there`);
          return { status: { name: 'RUNNING' } };
        },
      }),
    },
    workflowService: {
      getWorkflowExecutionHistory: async () => ({
        history: { events: [{ eventId: 4, workflowTaskFailedEventAttributes: {} }] },
      }),
      resetWorkflowExecution: async ({ workflowExecution }: { workflowExecution: { workflowId: string } }) => {
        reset.push(workflowExecution.workflowId);
      },
    },
  } as unknown as Client;
  return { client, reset };
}

test('a workflow that cannot be reset is reported, after the others were reset', async () => {
  const { client, reset } = engineWith(['a', 'b', 'c'], ['b']);
  await expect(resetFailing(client)).rejects.toMatchObject({ errors: [{ message: 'b is not there' }] });
  expect(reset).toEqual(['a', 'c']);
});

test('resolves when all were reset', async () => {
  const { client, reset } = engineWith(['a', 'b'], []);
  await resetFailing(client);
  expect(reset).toEqual(['a', 'b']);
});
