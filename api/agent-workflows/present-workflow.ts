import type { z } from 'zod';
import type { AgentWorkflow } from '../../db/agent-workflows/index.ts';
import { variablesOf } from '../../domain/agent-workflows/index.ts';
import { present } from '../../domain/core/record-names.ts';
import { policyAllows } from '../../domain/permissions/index.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { workflowSchema } from './schema.ts';

/** Returns a workflow as the API shows it to somebody. */
export function presentWorkflow(
  { publicUrl }: Pick<ApiContext, 'publicUrl'>,
  { policy }: Pick<OrgCaller, 'policy'>,
  workflow: AgentWorkflow,
): z.input<typeof workflowSchema> {
  const hasWebhookSecret = workflow.webhookSecret !== null;
  // Without a secret, the address alone starts runs.
  const showsUrl = hasWebhookSecret || policyAllows(policy, 'schedules.manage');
  return present(workflowSchema, workflow, {
    variables: variablesOf(workflow),
    webhookUrl: showsUrl ? `${publicUrl}/api/workflows/${workflow.id}/webhook` : null,
    hasWebhookSecret,
  });
}
