import type { Database } from '../core/index.ts';
import type { RunnableWorkflow } from './decisions/trigger-run.ts';

/** A workflow whose webhook starts runs. */
export interface Webhook {
  readonly id: string;
  readonly orgId: string;
  /** In whose name it starts them. */
  readonly ownerId: string;
  /** Encrypted; null when nobody has to sign. */
  readonly secret: Buffer | null;
}

/** A workflow whose webhook starts runs, and what they are made of. */
export type WebhookWork = Webhook & RunnableWorkflow;

/**
 * Finds the workflow with this id, if its webhook starts runs: it is active, made for that, and its owner is a member
 * of its organization.
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
  where w.id = $1 and w.is_active and w.trigger_type = 'webhook'`;
