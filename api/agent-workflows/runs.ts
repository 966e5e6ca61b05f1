import { deleteChat, requireDeletableChat } from '../../db/chats/delete-chat.ts';
import { listConversations, requireConversation } from '../../db/chats/list-chats.ts';
import { requestInterrupt } from '../../db/turns/request-interrupt.ts';
import { advanceRun } from '../../db/agent-workflows/decisions/decide-run.ts';
import { getAgentWorkflow } from '../../db/agent-workflows/agent-workflows.ts';
import { getRun, listRuns, requestRunInterrupt } from '../../db/agent-workflows/runs/list-runs.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { asOwner, readerOf } from '../chats/own-chat.ts';
import { chatSchema, presentChat } from '../chats/schema.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { allowedIds } from '../../domain/permissions/restrict.ts';
import { policyAllows } from '../../domain/permissions/policy.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { present, presenter } from '../../domain/core/record-names.ts';
import { shownRunDeliveries } from '../destinations/run-deliveries.ts';
import { runDetailsSchema, runSchema, runsQuery } from './schema.ts';

const ofRun = { resource: 'workflow_runs', tag: 'Workflows' } as const;

export const runRoutes = [
  defineRoute({
    ...ofRun,
    access: 'schedules.view',
    method: 'get',
    path: '/api/workflows/{workflow_id}/runs',
    operationId: 'listWorkflowRuns',
    summary: 'List the runs of a workflow whose agents you may use, newest first',
    query: runsQuery,
    response: { status: 200, schema: runSchema.array() },
    handler: async ({ caller, params: { workflow_id: id }, query, answerPage }, { database }) => {
      const { triggered_by: triggeredBy, ...page } = query;
      const wanted = { ...page, ...agentBoundOf(caller), triggeredBy };
      return answerPage(await listRuns(database, caller.orgId, id, wanted)).map(presenter(runSchema));
    },
  }),
  defineRoute({
    ...ofRun,
    access: 'schedules.view',
    method: 'get',
    path: '/api/workflows/{workflow_id}/runs/{run_id}',
    operationId: 'getWorkflowRun',
    summary: 'Get a run, with its steps and deliveries',
    response: { status: 200, schema: runDetailsSchema },
    handler: async ({ caller, params: { workflow_id: workflowId, run_id: runId } }, context) =>
      showRun(context, caller.orgId, { workflowId, runId, ...agentBoundOf(caller) }),
  }),
  defineRoute({
    ...ofRun,
    access: 'schedules.manage',
    method: 'post',
    path: '/api/workflows/{workflow_id}/runs/{run_id}/interrupt',
    action: 'interrupt',
    operationId: 'interruptWorkflowRun',
    summary: 'Stop a run',
    description:
      'Its turn and sub-agents stop, and no further step starts. The response acknowledges the request; shortly after, the run is `interrupted`. 409 when it has ended.',
    response: { status: 200, schema: runDetailsSchema },
    handler: async ({ caller, params: { workflow_id: workflowId, run_id: runId } }, context) => {
      const { database } = context;
      const { orgId } = caller;
      const ref = { workflowId, runId, ...agentBoundOf(caller) };
      await requestRunInterrupt(database, orgId, ref);
      await advanceRun(context, { orgId, runId });
      return showRun(context, orgId, ref);
    },
  }),
];

async function showRun(context: ApiContext, orgId: string, ref: Parameters<typeof getRun>[2]) {
  const run = await getRun(context.database, orgId, ref);
  return present(runDetailsSchema, run, await shownRunDeliveries(context, orgId, ref.runId));
}

export const conversationRoutes = [
  defineRoute({
    method: 'get',
    path: '/api/workflows/{workflow_id}/conversations',
    resource: 'workflows',
    action: 'conversations',
    access: 'schedules.view',
    tag: 'Workflows',
    operationId: 'listWorkflowConversations',
    summary: "List the conversations of a workflow's runs that you may read, newest first",
    description: 'Each run has one conversation. It belongs to the user in whose name it runs, like their other chats.',
    query: pageQuery,
    response: { status: 200, schema: chatSchema.array() },
    handler: async ({ caller, params: { workflow_id: id }, query, answerPage }, context) => {
      const { database } = context;
      await withOrgTransaction(database, caller.orgId, async (em) =>
        getAgentWorkflow(em, { id, ...agentBoundOf(caller) }),
      );
      return answerPage(await listConversations(database, readerOf(caller), id, query)).map((chat) =>
        presentChat(context, caller, chat),
      );
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/api/workflows/{workflow_id}/conversations/{chat_id}',
    resource: 'chats',
    access: 'schedules.manage',
    tag: 'Workflows',
    operationId: 'deleteWorkflowConversation',
    summary: "Delete a run's conversation, if it is yours; it can be restored like other chats",
    description: 'Its running turn and the run are stopped. The run stays in the list.',
    response: { status: 204 },
    handler: async ({ caller, params: { workflow_id: workflowId, chat_id: chatId } }, context) => {
      const { database } = context;
      await requireConversation(database, caller.orgId, { workflowId, chatId });
      await asOwner(context, caller, chatId, async () => requireDeletableChat(database, caller, chatId));
      await requestInterrupt(context.database, caller, chatId);
      await deleteChat(database, caller, chatId);
    },
  }),
];

const WEBHOOK_FIELDS = {
  webhookSecret: 'webhook_secret',
  notifyUrl: 'notify_url',
  notifySecret: 'notify_secret',
} as const;

/** Rejects changes of a workflow's webhook or notifications by callers who may not make them. */
export function checkMaySetWebhooks(
  { policy }: Pick<OrgCaller, 'policy'>,
  changes: { readonly [key in keyof typeof WEBHOOK_FIELDS]?: unknown },
): void {
  const [field] = Object.entries(WEBHOOK_FIELDS).filter(([key]) => Reflect.get(changes, key) !== undefined);
  if (field === undefined || policyAllows(policy, 'webhooks.manage')) return;
  throw new AppError('forbidden', `Setting ${field[1]} needs the permission webhooks.manage`);
}

/** Returns the agents that a caller may use: workflows and runs with others are not there for them. */
export function agentBoundOf({ policy }: Pick<OrgCaller, 'policy'>): {
  readonly allowedAgentIds: readonly string[] | undefined;
} {
  return { allowedAgentIds: allowedIds(policy, 'agentIds') };
}
