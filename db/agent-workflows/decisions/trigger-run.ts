import type { Database } from '../../core/database.ts';
import { withOrgTransaction } from '../../core/transactions.ts';
import { type CreatedRun, createRun, findRunByKey, type NewRun } from '../runs/create-run.ts';
import { type WorkflowStep, workOfRun } from '../../../domain/agent-workflows.ts';
import { cut } from '../../../domain/core/text.ts';
import type { Membership, OrgLimits } from '../../../domain/orgs.ts';
import { allowedIds } from '../../../domain/permissions/restrict.ts';
import type { Policy } from '../../../domain/permissions/policy.ts';
import type { AgentWorkflow } from '../agent-workflow.entity.ts';
import { getAgentWorkflow } from '../agent-workflows.ts';
import { requireOwnStart } from '../runs/started-by-agent.ts';
import { advanceRun, type RunDeps } from './decide-run.ts';

/** The dependencies of starting runs. */
export interface TriggerDeps extends RunDeps {
  readonly orgLimits: Pick<OrgLimits, 'chats' | 'messageBytes' | 'workBytes'>;
}

/** A workflow, as far as its runs depend on it. */
export interface RunnableWorkflow extends Readonly<
  Pick<AgentWorkflow, 'id' | 'orgId' | 'name' | 'agentId' | 'promptTemplate'>
> {
  readonly steps: readonly WorkflowStep[];
}

type Trigger = Pick<NewRun, 'userId' | 'triggeredBy' | 'variables' | 'deliveryKey' | 'signature'>;

/** A user who starts a run of a workflow by hand, or in whose name an agent does. */
interface Starter extends Membership {
  /** Null when they are no longer a member. */
  readonly policy: Policy | null;
}

interface RunRequest extends Pick<Trigger, 'variables'> {
  readonly workflowId: string;
  /** The caller's key of the request: a repetition with it starts no second run. */
  readonly key: string | undefined;
  /** The chat in which an agent starts it; a person does unless given. */
  readonly byAgentIn?: string;
  /** Rejects a workflow that is not the one which the caller means. */
  readonly accept?: (workflow: RunnableWorkflow) => Promise<void>;
}

/**
 * Starts a run of a workflow by hand or by an agent, for every interface alike: in the name of the user, with their
 * rights, and in a chat of theirs. Returns its id. A repetition is not refused for what has changed since.
 */
export async function startRun(
  deps: TriggerDeps,
  { orgId, userId, policy }: Starter,
  { workflowId: id, variables, key, byAgentIn, accept }: RunRequest,
): Promise<string> {
  // Keys of different people, and those of the webhook, are different ones.
  const deliveryKey = key === undefined ? undefined : `${userId} ${key}`;
  const allowedAgentIds = allowedIds(policy, 'agentIds');
  const found = await withOrgTransaction(
    deps.database,
    orgId,
    async (em) =>
      (await findRunByKey(em, { kind: 'workflow', id }, deliveryKey)) ?? getAgentWorkflow(em, { id, allowedAgentIds }),
  );
  if (typeof found === 'string') return found;
  await accept?.(found);
  if (byAgentIn !== undefined) await requireOwnStart(deps.database, orgId, byAgentIn);
  const triggeredBy = byAgentIn === undefined ? 'manual' : 'agent';
  return (await triggerRun(deps, found, { userId, triggeredBy, variables, deliveryKey })).runId;
}

const MAX_NAME_LENGTH = 150;

/**
 * Starts a run of a workflow, for every entry point alike. When this resolves, the run is stored, and continues
 * whatever happens: its first turn begins here where it can, and its Temporal workflow does the rest. `unprocessable`
 * when its first prompt would be empty or too long.
 */
export async function triggerRun(
  deps: TriggerDeps,
  workflow: RunnableWorkflow,
  { variables, ...trigger }: Trigger,
): Promise<CreatedRun> {
  const { id: workflowId, orgId } = workflow;
  const run = { ...trigger, workflowId, variables, ...workOfRun(workflow, variables) };
  const created = await createRun(deps.database, orgId, { ...run, title: titleOf(workflow) }, deps.orgLimits);
  if (created.isNew) await advanceRun(deps, { orgId, runId: created.runId });
  return created;
}

function titleOf({ name }: RunnableWorkflow): string {
  const [date = '', time = ''] = new Date().toISOString().split('T');
  return `${cut(name, MAX_NAME_LENGTH)}, ${date} ${time.slice(0, 5)}`;
}

/** A workflow whose webhook starts runs. */
interface Webhook {
  readonly id: string;
  readonly orgId: string;
  /** In whose name it starts them. */
  readonly ownerId: string;
  /** Encrypted; null when nobody has to sign. */
  readonly secret: Buffer | null;
}

/** A workflow whose webhook starts runs, and what its runs are created from. */
type WebhookWork = Webhook & RunnableWorkflow;

/**
 * Finds the workflow with this id, if its webhook starts runs: it is active, and its owner is a member of its
 * organization.
 */
export async function findWebhook({ system }: Database, workflowId: string): Promise<Webhook | undefined> {
  const { rows } = await system.query<Webhook>({ name: 'find-webhook', text: select(OWN), values: [workflowId] });
  return rows[0];
}

/** Finds the workflow as `findWebhook` does, with its prompts, which may be long. */
export async function findWebhookWork({ system }: Database, workflowId: string): Promise<WebhookWork | undefined> {
  const text = select(`${OWN}, w.name, w.agent_id as "agentId", w.prompt_template as "promptTemplate", w.steps`);
  const { rows } = await system.query<WebhookWork>({ name: 'find-webhook-work', text, values: [workflowId] });
  return rows[0];
}

const OWN = 'w.id, w.org_id as "orgId", w.owner_id as "ownerId", w.webhook_secret as secret';

const select = (columns: string) => `select ${columns} from agent_workflows w
    join memberships m on m.org_id = w.org_id and m.user_id = w.owner_id
  where w.id = $1 and w.is_active`;
