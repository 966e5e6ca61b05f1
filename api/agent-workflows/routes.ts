import { getAgentWorkflow, listAgentWorkflows } from '../../db/agent-workflows/index.ts';
import { withOrgTransaction } from '../../db/core/index.ts';
import { setRunReports } from '../../db/destinations/index.ts';
import { setWebhook } from '../../db/webhooks/index.ts';
import { createWorkflow, deleteWorkflow, setWorkflowActive, updateWorkflow } from '../../db/workflow-changes.ts';
import { toFields } from '../../domain/core/record-names.ts';
import { checkRunReports } from '../destinations/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { idParams } from '../resources/id-fields.ts';
import { conversationRoutes } from './conversations.ts';
import { checkWebhookUrl } from '../webhooks/index.ts';
import { presentWorkflow, presentWorkflows } from './present-workflow.ts';
import { agentBoundOf, checkMaySetWebhooks } from './rules.ts';
import { runRoutes } from './runs.ts';
import { newWorkflowSchema, workflowChangesSchema, workflowSchema } from './schema.ts';
import { triggerWorkflowRoute } from './trigger-workflow.ts';
import { workflowWebhookRoute } from './workflow-webhook.ts';

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
    summary: 'The workflows of the organization whose agents you may use, oldest first',
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
    summary: 'One workflow',
    params,
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
    description: 'It is inactive: its webhook starts no runs before it is activated. It can be triggered at once.',
    body: newWorkflowSchema,
    errors: [404, 409],
    response: { status: 201, schema: workflowSchema },
    handler: async ({ caller, body }, context) => {
      const { notifyUrl: url, notifySecret: secret, deliveries, ...fields } = toFields(newWorkflowSchema, body);
      const { database, box } = context;
      const { orgId, userId } = caller;
      const actor = { orgId, userId, ...agentBoundOf(caller) };
      const workflow = await withOrgTransaction(database, orgId, async (em) => {
        const created = await createWorkflow(em, context, actor, fields);
        // Last: a record that is not there is said to be missing, whatever else is wrong.
        const webhookSecret = fields.webhookSecret ?? undefined;
        checkWebhookUrl(context, url, 'notify_url');
        checkMaySetWebhooks(caller, { webhookSecret, notifyUrl: url ?? undefined, notifySecret: secret ?? undefined });
        await setWebhook(em, box, { orgId, kind: 'workflow', id: created.id }, { userId, url, secret });
        checkRunReports(caller, deliveries);
        await setRunReports(em, { orgId, kind: 'workflow', id: created.id }, deliveries);
        return created;
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
      'Runs that have begun go on as they were. A `cron_expr` takes the place of `interval_minutes`, and the other way round. Whoever changes the agent, the prompts, the trigger type, the times or the secret becomes its owner, in whose name the webhook and the times start runs; where a secret is set, a new owner sends a `webhook_secret` with the change (422), which may be null.',
    params,
    body: workflowChangesSchema,
    response,
    handler: async ({ caller, params: { workflow_id: id }, body, expectedVersions: expected }, context) => {
      const { notifyUrl: url, notifySecret: secret, deliveries, ...changes } = toFields(workflowChangesSchema, body);
      const { database, box } = context;
      const { orgId, userId } = caller;
      const actor = { orgId, userId, ...agentBoundOf(caller) };
      const workflow = await withOrgTransaction(database, orgId, async (em) => {
        const updated = await updateWorkflow(em, box, actor, { id, expected, changes });
        checkWebhookUrl(context, url, 'notify_url');
        checkMaySetWebhooks(caller, { ...changes, notifyUrl: url, notifySecret: secret });
        await setWebhook(em, box, { orgId, kind: 'workflow', id }, { userId, url, secret });
        checkRunReports(caller, deliveries);
        await setRunReports(em, { orgId, kind: 'workflow', id }, deliveries);
        return updated;
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
    description: 'Runs that have not ended are stopped. The conversations stay with their users.',
    params,
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
      does: 'Let the webhook or the times start runs, in your name',
    },
    { action: 'deactivate', operationId: 'deactivateWorkflow', isActive: false, does: 'Let it start no more runs' },
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
