import { Client, Connection, type WorkflowClient } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { waitUntil } from './wait-until.ts';

/**
 * Returns the histories of all workflows of an organization, and of those that belong to none, as JSON with its
 * payloads as text: they stand in it as Base64. Waits until they hold `expected`: a workflow is listed, and the result
 * of an activity stands there, a moment after what the activity has stored.
 */
export async function historiesOf(temporalAddress: string, orgId: string, expected: string): Promise<string> {
  const connection = await Connection.connect({ address: temporalAddress });
  const { workflow } = new Client({ connection });
  const histories = await waitUntil(`histories with ${expected}`, async () => {
    const read = await readHistories(workflow, orgId);
    return read.includes(expected) ? read : undefined;
  });
  await connection.close();
  return histories;
}

async function readHistories(workflow: WorkflowClient, orgId: string): Promise<string> {
  let text = '';
  for await (const { workflowId, runId } of workflow.list())
    if (workflowId.includes(orgId) || workflowId.startsWith('system/'))
      text += inClear(historyToJSON(await workflow.getHandle(workflowId, runId).fetchHistory()));
  return text;
}

function inClear(history: string): string {
  return history.replaceAll(/"data":\s*"(?<data>[^"]*)"/g, (_whole, data: string) =>
    Buffer.from(data, 'base64').toString(),
  );
}
