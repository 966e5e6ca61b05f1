import { findWebhook, findWebhookWork, triggerRun, workflowSecrets } from '../../db/agent-workflows/index.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import type { ApiContext } from '../context/api-context.ts';
import { defineRoute, type StrangerRequest } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { deliveryKeyOf } from './delivery-key.ts';
import { startedRunSchema, webhookBodySchema } from './schema.ts';
import { headerIssue, type SignatureHeaders, signatureOf } from './webhook-signature.ts';

const params = idParams('workflow_id');

/** Starts a run of a workflow for whoever knows its address, and its secret if it has one. */
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
    'Public. It runs in the name of the owner of the workflow. Where a secret is set, `X-Everturn-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">` or `X-Hub-Signature-256` is required; 401 without a good one. A repeated `X-Delivery-Id`, `Idempotency-Key` or `X-GitHub-Delivery` answers with the first run, and so does a repeated signature. 404 for an unknown workflow, an inactive one and one that has another trigger type.',
  params,
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
  const id = params.safeParse(sent).data?.workflow_id;
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
