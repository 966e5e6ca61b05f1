import type { z } from 'zod';
import type { AgentWorkflow } from '../../db/agent-workflows/index.ts';
import { runReportsOf } from '../../db/destinations/index.ts';
import { readWorkflowSchedules, type Schedule, timesOfWorkflow } from '../../db/schedules/index.ts';
import { type ShownWebhook, webhooksOf } from '../../db/webhooks/index.ts';
import { variablesOf } from '../../domain/agent-workflows.ts';
import { present } from '../../domain/core/record-names.ts';
import type { RunReport } from '../../domain/destinations.ts';
import { policyAllows } from '../../domain/permissions/index.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { shownNotify } from '../webhooks/index.ts';
import { workflowSchema } from './schema.ts';

type Shown = z.input<typeof workflowSchema>;
type PresentContext = Pick<ApiContext, 'publicUrl' | 'database'>;
type Viewer = Pick<OrgCaller, 'policy' | 'orgId'>;

/** Returns a workflow as the API shows it to somebody. */
export async function presentWorkflow(
  context: PresentContext,
  viewer: Viewer,
  workflow: AgentWorkflow,
): Promise<Shown> {
  const [shown] = await presentWorkflows(context, viewer, [workflow]);
  if (shown === undefined) throw new Error('a workflow was not shown');
  return shown;
}

/** Returns workflows as the API shows them to somebody. */
export async function presentWorkflows(
  context: PresentContext,
  viewer: Viewer,
  workflows: readonly AgentWorkflow[],
): Promise<Shown[]> {
  const ids = workflows.map(({ id }) => id);
  const [told, schedules, reports] = await Promise.all([
    webhooksOf(context.database, viewer.orgId, 'workflow', ids),
    readWorkflowSchedules(context.database, viewer.orgId, ids),
    runReportsOf(context.database, viewer.orgId, 'workflow', ids),
  ]);
  return workflows.map((each) => {
    const { id } = each;
    const deliveries = reports.get(id) ?? [];
    return show(context, viewer, each, { told: told.get(id), schedule: schedules.get(id), deliveries });
  });
}

interface Parts {
  readonly told: ShownWebhook | undefined;
  readonly schedule: Schedule | undefined;
  readonly deliveries: readonly RunReport[];
}

function show(
  { publicUrl }: PresentContext,
  { policy }: Viewer,
  workflow: AgentWorkflow,
  { told, schedule, deliveries }: Parts,
): Shown {
  const hasWebhookSecret = workflow.webhookSecret !== null;
  // Without a secret, the address alone starts runs.
  const showsUrl = hasWebhookSecret || policyAllows(policy, 'schedules.manage');
  return present(workflowSchema, workflow, {
    ...timesOfWorkflow(schedule),
    nextRunAt: schedule?.nextRunAt ?? null,
    pauseReason: schedule?.pauseReason ?? null,
    variables: variablesOf(workflow),
    webhookUrl: showsUrl ? `${publicUrl}/api/workflows/${workflow.id}/webhook` : null,
    hasWebhookSecret,
    deliveries,
    ...shownNotify({ policy }, told),
  });
}
