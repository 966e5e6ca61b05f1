import type { z } from 'zod';
import type { AgentWorkflow } from '../../db/agent-workflows/agent-workflow.entity.ts';
import { getAgentWorkflow, listAgentWorkflows } from '../../db/agent-workflows/agent-workflows.ts';
import { runReportsOf, setRunReports } from '../../db/destinations/run-reports.ts';
import { readWorkflowSchedules, timesOfWorkflow } from '../../db/schedules/workflow-schedule.ts';
import type { Schedule } from '../../db/schedules/schedule.entity.ts';
import { setWebhook, type ShownWebhook, webhooksOf } from '../../db/webhooks/set-webhook.ts';
import { variablesOf } from '../../domain/agent-workflows.ts';
import { present, toFields } from '../../domain/core/record-names.ts';
import type { RunReport } from '../../domain/destinations.ts';
import { policyAllows } from '../../domain/permissions/policy.ts';
import { setsAny } from '../../domain/resources.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { checkWebhookUrl, shownNotify } from '../webhooks/schema.ts';
import { newWorkflowSchema, workflowChangesSchema, workflowSchema } from './schema.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { createWorkflow, deleteWorkflow, setWorkflowActive, updateWorkflow } from '../../db/workflow-changes.ts';
import { checkRunReports } from '../destinations/run-reports.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { idParams } from '../resources/id-fields.ts';
import { agentBoundOf, checkMaySetWebhooks, conversationRoutes, runRoutes } from './runs.ts';
import { triggerWorkflowRoute, workflowWebhookRoute } from './trigger-workflow.ts';

type Shown = z.input<typeof workflowSchema>;
type PresentContext = Pick<ApiContext, 'publicUrl' | 'database'>;
type Viewer = Pick<OrgCaller, 'policy' | 'orgId'>;

/** Returns a workflow as the API shows it to somebody. */
async function presentWorkflow(context: PresentContext, viewer: Viewer, workflow: AgentWorkflow): Promise<Shown> {
  const [shown] = await presentWorkflows(context, viewer, [workflow]);
  if (shown === undefined) throw new Error('a workflow was not shown');
  return shown;
}

/** Returns workflows as the API shows them to somebody. */
async function presentWorkflows(
  context: PresentContext,
  viewer: Viewer,
  workflows: readonly AgentWorkflow[],
): Promise<Shown[]> {
  const ids = workflows.map(({ id }) => id);
  const [webhooks, schedules, reports] = await Promise.all([
    webhooksOf(context.database, viewer.orgId, 'workflow', ids),
    readWorkflowSchedules(context.database, viewer.orgId, ids),
    runReportsOf(context.database, viewer.orgId, 'workflow', ids),
  ]);
  return workflows.map((each) => {
    const { id } = each;
    const deliveries = reports.get(id) ?? [];
    return show(context, viewer, each, { webhook: webhooks.get(id), schedule: schedules.get(id), deliveries });
  });
}

interface Parts {
  readonly webhook: ShownWebhook | undefined;
  readonly schedule: Schedule | undefined;
  readonly deliveries: readonly RunReport[];
}

function show(
  { publicUrl }: PresentContext,
  { policy }: Viewer,
  workflow: AgentWorkflow,
  { webhook, schedule, deliveries }: Parts,
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
    ...shownNotify({ policy }, webhook),
  });
}

const view = { resource: 'workflows', access: 'schedules.view', tag: 'Workflows' } as const;
const manage = { resource: 'workflows', access: 'schedules.manage', tag: 'Workflows' } as const;
const params = idParams('workflow_id');
const response = { status: 200, schema: workflowSchema } as const;

export const agentWorkflowRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/workflows',
    operationId: 'listWorkflows',
    summary: 'List the workflows of the organization whose agents you may use, oldest first',
    query: pageQuery,
    response: { status: 200, schema: workflowSchema.array() },
    handler: async ({ caller, query, answerPage }, context) =>
      presentWorkflows(
        context,
        caller,
        answerPage(await listAgentWorkflows(context.database, caller.orgId, { ...query, ...agentBoundOf(caller) })),
      ),
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/workflows/{workflow_id}',
    operationId: 'getWorkflow',
    summary: 'Get a workflow',
    response,
    handler: async ({ caller, params: { workflow_id: id } }, context) =>
      presentWorkflow(
        context,
        caller,
        await withOrgTransaction(context.database, caller.orgId, async (em) =>
          getAgentWorkflow(em, { id, ...agentBoundOf(caller) }),
        ),
      ),
  }),
  defineRoute({
    ...manage,
    method: 'post',
    path: '/api/workflows',
    operationId: 'createWorkflow',
    summary: 'Add a workflow',
    description:
      'A new workflow is inactive unless `is_active` is true: its webhook starts no runs until it is activated. It can be triggered at any time.',
    body: newWorkflowSchema,
    errors: [404, 409],
    response: { status: 201, schema: workflowSchema },
    handler: async ({ caller, body }, context) => {
      const {
        isActive,
        notifyUrl: url,
        notifySecret: secret,
        deliveries,
        ...fields
      } = toFields(newWorkflowSchema, body);
      const { database, box } = context;
      const { orgId, userId } = caller;
      const actor = { orgId, userId, ...agentBoundOf(caller) };
      const workflow = await withOrgTransaction(database, orgId, async (em) => {
        const created = await createWorkflow(em, context, actor, fields);
        // Last, so that a missing record is reported as missing whatever else is wrong.
        const webhookSecret = fields.webhookSecret ?? undefined;
        checkWebhookUrl(context, url, 'notify_url');
        checkMaySetWebhooks(caller, { webhookSecret, notifyUrl: url ?? undefined, notifySecret: secret ?? undefined });
        await setWebhook(em, box, { orgId, kind: 'workflow', id: created.id }, { userId, url, secret });
        checkRunReports(caller, deliveries);
        await setRunReports(em, { orgId, userId, kind: 'workflow', id: created.id }, deliveries);
        return isActive ? setWorkflowActive(em, caller, { id: created.id, ...agentBoundOf(caller) }, true) : created;
      });
      return presentWorkflow(context, caller, workflow);
    },
  }),
  defineRoute({
    ...manage,
    method: 'patch',
    path: '/api/workflows/{workflow_id}',
    operationId: 'updateWorkflow',
    summary: 'Change a workflow; only the given fields change',
    description:
      'Runs that have started are not affected. `cron_expr` replaces `interval_minutes`, and vice versa. Whoever changes the agent, the prompts, the trigger type, the times or the secret becomes the owner, in whose name the webhook and the schedule start runs. If a secret is set, a new owner must send `webhook_secret` with the change, which may be null; otherwise 422. `is_active` activates or deactivates it; true resumes a schedule that has paused by itself, too.',
    body: workflowChangesSchema,
    response,
    handler: async ({ caller, params: { workflow_id: id }, body, expectedVersions: expected }, context) => {
      const {
        isActive,
        notifyUrl: url,
        notifySecret: secret,
        deliveries,
        ...changes
      } = toFields(workflowChangesSchema, body);
      const { database, box } = context;
      const { orgId, userId } = caller;
      const actor = { orgId, userId, ...agentBoundOf(caller) };
      const workflow = await withOrgTransaction(database, orgId, async (em) => {
        const updated = await updateWorkflow(em, box, actor, { id, expected, changes });
        checkWebhookUrl(context, url, 'notify_url');
        checkMaySetWebhooks(caller, { ...changes, notifyUrl: url, notifySecret: secret });
        await setWebhook(em, box, { orgId, kind: 'workflow', id }, { userId, url, secret });
        checkRunReports(caller, deliveries);
        await setRunReports(em, { orgId, userId, kind: 'workflow', id }, deliveries);
        // They are kept elsewhere.
        if (setsAny({ url, secret, deliveries })) updated.updatedAt = new Date();
        if (isActive === undefined) return updated;
        return setWorkflowActive(em, caller, { id, ...agentBoundOf(caller) }, isActive);
      });
      return presentWorkflow(context, caller, workflow);
    },
  }),
  defineRoute({
    ...manage,
    method: 'delete',
    path: '/api/workflows/{workflow_id}',
    operationId: 'deleteWorkflow',
    summary: 'Delete a workflow permanently, with its runs',
    description: 'Open runs are stopped. Their conversations stay with their users.',
    response: { status: 204 },
    handler: async ({ caller, params: { workflow_id: id }, expectedVersions: expected }, { database }) =>
      withOrgTransaction(database, caller.orgId, async (em) =>
        deleteWorkflow(em, { id, expected, ...agentBoundOf(caller) }),
      ),
  }),
  ...activation(),
  triggerWorkflowRoute,
  workflowWebhookRoute,
  ...runRoutes,
  ...conversationRoutes,
];

function activation() {
  const variants = [
    {
      action: 'activate',
      operationId: 'activateWorkflow',
      isActive: true,
      does: 'Activate a workflow: its webhook or schedule starts runs, in your name',
    },
    {
      action: 'deactivate',
      operationId: 'deactivateWorkflow',
      isActive: false,
      does: 'Deactivate it: it starts no more runs',
    },
  ] as const;
  return variants.map(({ action, operationId, isActive, does }) =>
    defineRoute({
      ...manage,
      method: 'post',
      path: `/api/workflows/{workflow_id}/${action}`,
      action,
      operationId,
      summary: does,
      params,
      errors: [409, 422],
      response,
      handler: async ({ caller, params: { workflow_id: id }, expectedVersions: expected }, context) => {
        const ref = { id, expected, ...agentBoundOf(caller) };
        const workflow = await withOrgTransaction(context.database, caller.orgId, async (em) =>
          setWorkflowActive(em, caller, ref, isActive),
        );
        return presentWorkflow(context, caller, workflow);
      },
    }),
  );
}
