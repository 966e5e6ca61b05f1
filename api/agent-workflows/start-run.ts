import { getAgentWorkflow } from '../../db/agent-workflows/index.ts';
import { withOrgTransaction } from '../../db/core/index.ts';
import { triggerRun } from '../../start-turn/index.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { agentBoundOf } from './rules.ts';

interface RunRequest {
  readonly workflowId: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** What the caller calls the request: the same one again starts no second run. */
  readonly key: string | undefined;
}

/**
 * Starts a run of a workflow by hand, for every interface alike: in the name of the caller, with their rights, and in a
 * chat of theirs. Returns its id.
 */
export async function startRun(
  context: ApiContext,
  caller: OrgCaller,
  { workflowId: id, variables, key }: RunRequest,
): Promise<string> {
  const { orgId, userId } = caller;
  const workflow = await withOrgTransaction(context.database, orgId, async (em) =>
    getAgentWorkflow(em, { id, ...agentBoundOf(caller) }),
  );
  // Keys of different people, and those of the webhook, are different ones.
  const deliveryKey = key === undefined ? undefined : `${userId} ${key}`;
  return (await triggerRun(context, workflow, { userId, triggeredBy: 'manual', variables, deliveryKey })).runId;
}
