import { findWebhook, findWebhookWork, startRun, triggerRun } from '../../db/agent-workflows/decisions/trigger-run.ts';
import { workflowSecrets } from '../../db/agent-workflows/agent-workflows.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { headerIssue, type SignatureHeaders, signatureOf } from '../access/webhook-signature.ts';
import type { ApiContext } from '../context/api-context.ts';
import { idParams } from '../resources/id-fields.ts';
import { defineRoute, type StrangerRequest } from '../http/define-route.ts';
import { InvalidRequest } from '../http/problem.ts';
import { startedRunSchema, triggerSchema, webhookBodySchema } from './schema.ts';
import { isStorableText } from '../../domain/core/text.ts';

const MAX_LENGTH = 255;

/**
 * Returns what the sender of a request calls it, from the first of some headers that is there; `undefined` when none
 * is. The same key again starts no second run.
 */
export function deliveryKeyOf(
  header: (name: string) => string | undefined,
  names: readonly ('idempotency-key' | 'x-delivery-id' | 'x-github-delivery')[],
): string | undefined {
  for (const name of names) {
    const key = header(name)?.trim();
    if (key === undefined || key === '') continue;
    if (key.length > MAX_LENGTH) throw faultOf(name, `must not exceed ${MAX_LENGTH} characters`);
    if (!isStorableText(key)) throw faultOf(name, 'must not contain NUL or unpaired surrogates');
    return key;
  }
  return undefined;
}

function faultOf(name: string, msg: string): InvalidRequest {
  return new InvalidRequest([{ type: 'custom', loc: ['header', name], msg }]);
}

export const triggerWorkflowRoute = defineRoute({
  method: 'post',
  path: '/api/workflows/{workflow_id}/trigger',
  resource: 'workflows',
  action: 'trigger',
  access: 'schedules.manage',
  takesIdempotencyKey: true,
  tag: 'Workflows',
  operationId: 'triggerWorkflow',
  summary: 'Start a run of a workflow, active or not',
  description:
    'It runs in your name, with your rights and limits, and its conversation is one of your chats. With the header `Idempotency-Key`, a repeated request returns the first run. 422 when the prompt would be empty or too long, 409 when the organization has reached its limit of chats, messages or stored work, 429 when 1,000 runs are open.',
  body: triggerSchema,
  keepsNumbers: true,
  response: { status: 202, schema: startedRunSchema },
  handler: async ({ caller, params: { workflow_id: workflowId }, body: { variables }, header }, context) => {
    const key = deliveryKeyOf(header, ['idempotency-key']);
    return { run_id: await startRun(context, caller, { workflowId, variables, key }) };
  },
});

/** Starts a run of a workflow for a caller with its address, and its secret if it has one. */
export const workflowWebhookRoute = defineRoute({
  method: 'post',
  path: '/api/workflows/{workflow_id}/webhook',
  resource: 'workflows',
  action: 'webhook',
  access: 'public',
  takesIdempotencyKey: true,
  // The run is the record: a busy webhook would drown everything else.
  audit: false,
  tag: 'Workflows',
  operationId: 'sendWorkflowWebhook',
  summary: 'Start a run of an active workflow from outside',
  description:
    'Public. It runs in the name of its owner. Where a secret is set, `X-Everturn-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">` or `X-Hub-Signature-256` is required; 401 if it is missing or invalid. A repeated `X-Delivery-Id`, `Idempotency-Key` or `X-GitHub-Delivery` returns the first run, and so does a repeated signature. 404 when the workflow is unknown or inactive.',
  body: webhookBodySchema,
  keepsNumbers: true,
  isSigned: true,
  errors: [401, 404, 409],
  response: { status: 202, schema: startedRunSchema },
  letIn,
  handler: async ({ params: { workflow_id: id }, body: variables, header, ip, signedBytes }, context) => {
    const webhook = await findWebhookWork(context.database, id);
    if (webhook === undefined) throw notFound('Workflow');
    let signature: Buffer | undefined;
    if (webhook.secret !== null) {
      const secret = workflowSecrets.open(context.box, webhook, webhook.secret);
      signature = signatureOf(secret, signaturesOf(header), signedBytes);
      if (signature === undefined) return turnAway(context, ip, 'The signature does not fit the body');
      // Only now: who cannot sign takes nothing from those who can.
      await context.requestLimits.countWebhook(webhook);
    }
    const { ownerId: userId } = webhook;
    const key = deliveryKeyOf(header, ['x-delivery-id', 'idempotency-key', 'x-github-delivery']);
    const deliveryKey = key === undefined ? undefined : `webhook ${key}`;
    const trigger = { userId, triggeredBy: 'webhook', variables, deliveryKey, signature } as const;
    return { run_id: (await triggerRun(context, webhook, trigger)).runId };
  },
});

// Many who send webhooks share an address, so each workflow has a limit of its own. Those who guess are counted by
// address.
async function letIn({ params: sent, ip, header }: StrangerRequest, context: ApiContext): Promise<void> {
  const id = idParams('workflow_id').safeParse(sent).data?.workflow_id;
  const webhook = id === undefined ? undefined : await findWebhook(context.database, id);
  if (webhook === undefined) {
    await context.requestLimits.countStranger(ip);
    // An id of a wrong form is rejected with the rest of the request.
    if (id !== undefined) throw notFound('Workflow');
    return;
  }
  if (webhook.secret === null) return context.requestLimits.countWebhook(webhook);
  const issue = headerIssue(signaturesOf(header));
  if (issue !== undefined) await turnAway(context, ip, issue);
}

function signaturesOf(header: (name: string) => string | undefined): SignatureHeaders {
  return { own: header('x-everturn-signature'), hub: header('x-hub-signature-256') };
}

async function turnAway({ requestLimits }: ApiContext, ip: string, reason: string): Promise<never> {
  await requestLimits.countStranger(ip);
  throw new AppError('unauthenticated', reason);
}
