import { createRun } from '../../db/agent-workflows/runs/create-run.ts';
import type { Database } from '../../db/core/database.ts';
import { createAgent, type TestUser } from './factories.ts';

/** What an organization may have, for tests without limits. */
export const NO_LIMITS = { chats: 1_000, messageBytes: 1e9, workBytes: 1e9 };

/** Stores runs of a new workflow with a step, as a process does that dies before it begins them: a while ago. */
export async function storeRuns(
  database: Database,
  user: TestUser,
  count: number,
  fields: Record<string, unknown> = {},
): Promise<string[]> {
  const agentId = await createAgent(user.client);
  const workflow = { name: 'Report', agent_id: agentId, prompt_template: 'Go.', ...fields };
  const { json } = await user.client.post<{ id: string }>('/api/workflows', workflow);
  const run = {
    workflowId: json.id,
    userId: user.id,
    triggeredBy: 'manual',
    deliveryKey: undefined,
    variables: {},
    missingVariables: [],
    steps: [{ name: 'prompt', promptTemplate: 'x', agentId, approval: false, retries: 0 }],
    prompt: 'x',
    agentId,
    title: 'Report',
  } as const;
  const runIds: string[] = [];
  for (let stored = 0; stored < count; stored += 1)
    runIds.push((await createRun(database, user.orgId, run, NO_LIMITS)).runId);
  const past = "update workflow_runs set updated_at = updated_at - interval '1 minute' where id = any($1)";
  await database.system.query(past, [runIds]);
  return runIds;
}
