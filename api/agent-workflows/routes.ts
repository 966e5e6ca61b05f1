import {
  createAgentWorkflow,
  deleteAgentWorkflow,
  getAgentWorkflow,
  listAgentWorkflows,
  lockAgentWorkflow,
  setActive,
  updateAgentWorkflow,
} from '../../db/agent-workflows/index.ts';
import { withOrgTransaction } from '../../db/core/index.ts';
import { setWebhook } from '../../db/webhooks/index.ts';
import { requireRoom } from '../../db/orgs/index.ts';
import { toFields } from '../../domain/core/record-names.ts';
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
      const { notifyUrl: url, notifySecret: secret, ...fields } = toFields(newWorkflowSchema, body);
      const { database, box, orgLimits } = context;
      const { orgId, userId } = caller;
      const workflow = await withOrgTransaction(database, caller.orgId, async (em) => {
        await requireRoom(em, caller.orgId, 'workflows', orgLimits);
        const created = await createAgentWorkflow(em, box, caller, fields);
        // Last: a record that is not there is said to be missing, whatever else is wrong.
        const webhookSecret = fields.webhookSecret ?? undefined;
        checkWebhookUrl(context, url, 'notify_url');
        checkMaySetWebhooks(caller, { webhookSecret, notifyUrl: url ?? undefined, notifySecret: secret ?? undefined });
        await em.flush();
        await setWebhook(em, box, { orgId, kind: 'workflow', id: created.id }, { userId, url, secret });
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
      'Runs that have begun go on as they were. Whoever changes the agent, the prompts, the trigger type or the secret becomes its owner, in whose name the webhook starts runs; where a secret is set, a new owner sends a `webhook_secret` with the change (422), which may be null.',
    params,
    body: workflowChangesSchema,
    response,
    handler: async ({ caller, params: { workflow_id: id }, body }, context) => {
      const { notifyUrl: url, notifySecret: secret, ...changes } = toFields(workflowChangesSchema, body);
      const { database, box } = context;
      const { orgId, userId } = caller;
      const workflow = await withOrgTransaction(database, orgId, async (em) => {
        const locked = await lockAgentWorkflow(em, { id, ...agentBoundOf(caller) });
        const updated = await updateAgentWorkflow(em, box, caller, { workflow: locked, changes });
        checkWebhookUrl(context, url, 'notify_url');
        checkMaySetWebhooks(caller, { ...changes, notifyUrl: url, notifySecret: secret });
        await setWebhook(em, box, { orgId, kind: 'workflow', id }, { userId, url, secret });
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
    handler: async ({ caller, params: { workflow_id: id } }, { database }) => {
      await withOrgTransaction(database, caller.orgId, async (em) =>
        deleteAgentWorkflow(em, await lockAgentWorkflow(em, { id, ...agentBoundOf(caller) })),
      );
    },
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
      does: 'Let the webhook start runs, in your name',
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
      errors: [409],
      response,
      handler: async ({ caller, params: { workflow_id: id } }, context) =>
        presentWorkflow(
          context,
          caller,
          await withOrgTransaction(context.database, caller.orgId, async (em) =>
            setActive(caller, await lockAgentWorkflow(em, { id, ...agentBoundOf(caller) }), isActive),
          ),
        ),
    }),
  );
}
