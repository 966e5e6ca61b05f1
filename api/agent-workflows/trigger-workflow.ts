import { createHmac, timingSafeEqual } from 'node:crypto';
import { findWebhook, findWebhookWork, startRun, triggerRun } from '../../db/agent-workflows/decisions/trigger-run.ts';
import { workflowSecrets } from '../../db/agent-workflows/agent-workflows.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import type { ApiContext } from '../context/api-context.ts';
import { idParams } from '../resources/id-fields.ts';
import { defineRoute, type StrangerRequest } from '../http/define-route.ts';
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
    if (key.length > MAX_LENGTH)
      throw new AppError('unprocessable', `The header ${name} must not exceed ${MAX_LENGTH} characters`);
    if (!isStorableText(key))
      throw new AppError('unprocessable', `The header ${name} must not contain NUL or unpaired surrogates`);
    return key;
  }
  return undefined;
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

/** The difference of clocks between sender and receiver that a signature survives. */
const TOLERANCE_SECONDS = 300;

/**
 * The headers in which a webhook is signed, both with the same key. A signature of one form is never one of the other:
 * bodies are JSON objects, and are checked to be before a signature is compared. What is signed in our form begins with
 * digits and a dot, as no JSON object does.
 */
interface SignatureHeaders {
  /** `X-Everturn-Signature`: the time and the digest of time and body, `t=<unix seconds>,v1=<hex>`. */
  readonly own: string | undefined;
  /** `X-Hub-Signature-256`, as GitHub sends it: the digest of the body, `sha256=<hex>`. */
  readonly hub: string | undefined;
}

/**
 * Returns what is wrong with the signature of a request before its body is known; `undefined` when it can be checked
 * with the body.
 */
export function headerIssue({ own, hub }: SignatureHeaders, now = Date.now()): string | undefined {
  if (own === undefined)
    return hub === undefined ? 'The request is not signed: X-Everturn-Signature is missing' : undefined;
  const { time, digests } = partsOf(own);
  if (time === undefined || digests.length === 0)
    return 'X-Everturn-Signature must be written as t=<unix seconds>,v1=<hex digest>';
  if (Math.abs(now / 1000 - Number(time)) > TOLERANCE_SECONDS)
    return 'The signature is more than five minutes off; sign the request again, and check your clock';
  return undefined;
}

/** Returns the signature of a request, however it is written; `undefined` when none of those it has fits its body. */
export function signatureOf(secret: string, { own, hub }: SignatureHeaders, body: Uint8Array): Buffer | undefined {
  const { time = '', digests } = own === undefined ? ofHub(hub) : partsOf(own);
  const expected = digestOf(secret, own === undefined ? [body] : [`${time}.`, body]);
  return digests.some((digest) => isDigest(digest, expected)) ? expected : undefined;
}

function ofHub(header = ''): ReturnType<typeof partsOf> {
  return { time: undefined, digests: [header.replace(/^sha256=/, '')] };
}

/** The most digests that one header may have, for a secret that is being replaced. */
const MAX_DIGESTS = 4;

function partsOf(header: string): { readonly time: string | undefined; readonly digests: readonly string[] } {
  const parts = header.split(',', MAX_DIGESTS + 1).map((part) => part.trim());
  const time = parts.find((part) => /^t=\d{1,12}$/.test(part))?.slice(2);
  return { time, digests: parts.filter((part) => part.startsWith('v1=')).map((part) => part.slice(3)) };
}

function digestOf(secret: string, parts: readonly (string | Uint8Array)[]): Buffer {
  const hmac = createHmac('sha256', secret);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}

function isDigest(hex: string, expected: Buffer): boolean {
  if (!/^[0-9a-fA-F]{64}$/.test(hex)) return false;
  return timingSafeEqual(Buffer.from(hex, 'hex'), expected);
}

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
    'Public. It runs in the name of its owner. Where a secret is set, `X-Everturn-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">` or `X-Hub-Signature-256` is required; 401 if it is missing or invalid. A repeated `X-Delivery-Id`, `Idempotency-Key` or `X-GitHub-Delivery` returns the first run, and so does a repeated signature. 404 when the workflow is unknown, inactive or of another trigger type.',
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
