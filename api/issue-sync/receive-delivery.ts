import { createHash, createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { CODE_HOST_KINDS, type CodeHostKind } from '../../domain/projects.ts';
import { isSame } from '../access/bearer.ts';
import { defineDeliveryRoute, type Delivery, type StrangerRequest } from '../http/define-route.ts';
import type { SecretBox } from '../../db/core/secret-box.ts';
import { findWebhook, type HostWebhook, takeDelivery } from '../../db/issue-sync/deliveries.ts';
import { askForTree } from '../../db/repo-trees.ts';
import { projectSecrets } from '../../db/projects/projects.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { parseForeignJson } from '../../domain/core/foreign-json.ts';
import { hostKeyOf } from '../../domain/issue-sync/remote-records.ts';
import { readHostEvent, repositoryIn } from '../../domain/issue-sync/host-event.ts';
import type { ApiContext } from '../context/api-context.ts';
import { invalidJson } from '../http/problem.ts';
import { idOf } from '../resources/id-fields.ts';

/** How old a delivery may be whose signature contains its time. */
const MAX_AGE_SECONDS = 300;
const SIGNATURES: Readonly<Record<CodeHostKind, readonly string[]>> = {
  github: ['x-hub-signature-256'],
  gitlab: ['x-gitlab-token', 'webhook-signature'],
  gitea: ['x-gitea-signature', 'x-forgejo-signature'],
};

/** Returns whether a delivery was signed with the secret, in the way of its host. Takes as long for a wrong one. */
function isSigned(kind: CodeHostKind, delivery: Delivery, secret: string): boolean {
  if (kind === 'gitlab') return hasToken(delivery, secret) || isSignedByGitlab(delivery, secret);
  const expected = createHmac('sha256', secret).update(delivery.body).digest('hex');
  if (kind === 'github') return isSame(delivery.header('x-hub-signature-256') ?? '', `sha256=${expected}`);
  return isSame(delivery.header('x-gitea-signature') ?? delivery.header('x-forgejo-signature') ?? '', expected);
}

/** Returns whether a delivery brings what its host signs with, good or not. */
function bringsSignature(kind: CodeHostKind, { header }: Pick<Delivery, 'header'>): boolean {
  return SIGNATURES[kind].some((name) => (header(name) ?? '') !== '');
}

/** Returns the id under which a host would send the same delivery again; undefined when it names none. */
function deliveryIdOf(kind: CodeHostKind, { header }: Delivery): string | undefined {
  if (kind === 'github') return header('x-github-delivery');
  if (kind === 'gitea') return header('x-gitea-delivery') ?? header('x-forgejo-delivery');
  return header('webhook-id') ?? header('idempotency-key') ?? header('x-gitlab-event-uuid');
}

/** Returns whether a host signs nothing but the body, so that a recorded delivery may come again under another id. */
function signsBodyOnly(kind: CodeHostKind): boolean {
  return kind !== 'gitlab';
}

/** Returns the name of the event that a host reports. */
function eventOf(kind: CodeHostKind, { header }: Delivery): string {
  const names = { github: 'x-github-event', gitlab: 'x-gitlab-event', gitea: 'x-gitea-event' } as const;
  return header(names[kind]) ?? '';
}

function hasToken({ header }: Delivery, secret: string): boolean {
  const token = header('x-gitlab-token');
  return token !== undefined && isSame(token, secret);
}

// By the Standard Webhooks specification: https://www.standardwebhooks.com
function isSignedByGitlab({ header, body }: Delivery, secret: string): boolean {
  const [id, time] = [header('webhook-id') ?? '', header('webhook-timestamp') ?? ''];
  // A secret without a usable key signs nothing.
  const key = signingKeyOf(secret) ?? randomBytes(32);
  const expected = createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest('base64');
  const isRecent = Math.abs(Date.now() / 1_000 - Number(time)) <= MAX_AGE_SECONDS;
  const signatures = (header('webhook-signature') ?? '').split(' ').slice(0, 10);
  return signatures.filter((signature) => isSame(signature, `v1,${expected}`)).length > 0 && isRecent;
}

const SIGNING_PREFIX = 'whsec_';
/** A shorter key can be guessed. */
const MIN_KEY_BYTES = 16;

/**
 * Returns the key that a webhook secret is by the Standard Webhooks specification: behind its prefix it is written in
 * base64. Undefined when that key is too short to sign with; any other secret is the key itself.
 */
export function signingKeyOf(secret: string): Buffer | string | undefined {
  if (!secret.startsWith(SIGNING_PREFIX)) return secret;
  const key = Buffer.from(secret.slice(SIGNING_PREFIX.length), 'base64');
  return key.length < MIN_KEY_BYTES ? undefined : key;
}

const params = z.strictObject({
  repo_type: z.enum(CODE_HOST_KINDS).meta({ description: 'The kind of the code host' }),
  project_id: idOf('projects'),
});

const deliveredSchema = z
  .looseObject({})
  .meta({ id: 'HostDelivery', description: 'An event of the code host', examples: [{ action: 'opened' }] });

const receiptSchema = z
  .object({
    status: z
      .enum(['accepted', 'repeated', 'ignored'])
      .meta({ description: '`repeated`: already delivered; `ignored`: not about anything that is synchronized' }),
  })
  .meta({ id: 'HostDeliveryReceipt', examples: [{ status: 'accepted' }] });

const MAX_ID = 200;

/** The events by which hosts announce changes of a repository's content. */
const BRANCH_EVENTS: ReadonlySet<string> = new Set(['push', 'create', 'delete', 'Push Hook']);

/** Accepts a code host's reports of issues and comments. Nothing that it sends is logged. */
export const receiveDeliveryRoute = defineDeliveryRoute({
  method: 'post',
  path: '/api/integrations/{repo_type}/webhook/{project_id}',
  resource: 'host_deliveries',
  action: 'receive',
  access: 'public',
  audit: false,
  tag: 'Projects',
  operationId: 'receiveHostDelivery',
  summary: 'For code hosts: deliver events about issues, comments and branches',
  description:
    'The `webhook_url` of a project with a `webhook_secret`, with which the host signs: `X-Hub-Signature-256` for GitHub, `X-Gitea-Signature` for Gitea, `X-Gitlab-Token` or `webhook-signature` for GitLab. An unknown project and a wrong signature get the same response. A repeated delivery has no further effect.',
  params,
  delivery: deliveredSchema,
  errors: [409],
  response: { status: 200, schema: receiptSchema },
  letIn,
  handler: async (
    { params: { repo_type: kind, project_id: projectId }, delivery, ip },
    { database, box, orgLimits: limits, requestLimits },
  ) => {
    const webhook = await webhookOf(database, { kind, projectId });
    // Somebody without the secret learns nothing, not even by the time that it takes.
    const secret = webhook === undefined ? randomBytes(32).toString('hex') : secretOf(box, projectId, webhook);
    if (!isSigned(kind, delivery, secret) || webhook === undefined) {
      // All others were counted before.
      if (webhook !== undefined && bringsSignature(kind, delivery)) await requestLimits.countStranger(ip);
      throw new AppError('not_found', 'There is no such webhook, or the signature does not match its secret');
    }
    // Only now: who cannot sign takes nothing from those who can.
    await requestLimits.countWebhook({ id: projectId, orgId: webhook.orgId });
    const payload = payloadOf(delivery);
    const repoId = repoIdOf(webhook, payload);
    const name = repoId === undefined ? '' : eventOf(kind, delivery);
    const event = readHostEvent({ kind, event: name, payload });
    const isOfBranches = BRANCH_EVENTS.has(name);
    // Nothing of it is stored, so it uses no space: a repeated delivery is ignored again.
    if (repoId === undefined || (event === undefined && !isOfBranches)) return { status: 'ignored' as const };
    const project = { orgId: webhook.orgId, projectId, host: hostKeyOf(webhook.repoUrl), repoId };
    const isNew = await takeDelivery(database, project, { deliveryIds: storedIds(kind, delivery), event, limits });
    if (!isNew) return { status: 'repeated' as const };
    if (isOfBranches) await askForTree(database, project);
    return { status: 'accepted' as const };
  },
});

// One code host sends for many organizations from one address, so each project has a limit of its own. Those who guess
// are counted by address.
async function letIn({ params: sent, ip, header }: StrangerRequest, context: ApiContext): Promise<void> {
  const { data } = params.safeParse(sent);
  const webhook = data && (await webhookOf(context.database, { kind: data.repo_type, projectId: data.project_id }));
  if (webhook === undefined || !bringsSignature(webhook.kind, { header }))
    await context.requestLimits.countStranger(ip);
}

async function webhookOf(
  database: ApiContext['database'],
  { kind, projectId }: { readonly kind: CodeHostKind; readonly projectId: string },
): Promise<HostWebhook | undefined> {
  const webhook = await findWebhook(database, projectId);
  return webhook?.kind === kind ? webhook : undefined;
}

function secretOf(box: SecretBox, projectId: string, { orgId, secret }: HostWebhook): string {
  return projectSecrets.open(box, { orgId, id: projectId }, secret);
}

function payloadOf({ body, header }: Delivery): unknown {
  if (header('content-type')?.startsWith('application/json') !== true)
    throw new AppError('unsupported_media_type', 'Set the content type of the webhook to application/json');
  const json = parseForeignJson(body.toString(), { maxDepth: 40 });
  if ('value' in json) return json.value;
  throw invalidJson();
}

// The webhook of a whole organization reports all its repositories. A renamed one keeps its id.
function repoIdOf({ repoUrl, repoId }: HostWebhook, payload: unknown): string | undefined {
  const repository = repositoryIn(payload);
  if (repository === undefined) return undefined;
  const path = URL.parse(repoUrl)?.pathname.toLowerCase() ?? '';
  const isOurs =
    repository.repoId === repoId || path.endsWith(`/${repository.path}`) || path.endsWith(`/${repository.path}.git`);
  return isOurs ? repository.repoId : undefined;
}

/**
 * Returns the ids to know a delivery by: that of the host, which may be of any length, and the digest of the body where
 * there is none, or nothing else is signed.
 */
function storedIds(kind: CodeHostKind, delivery: Delivery): readonly string[] {
  const id = deliveryIdOf(kind, delivery);
  const ids = id === undefined ? [] : [id.length <= MAX_ID && /^[\w.:-]+$/.test(id) ? id : digestOf(id)];
  return id === undefined || signsBodyOnly(kind) ? [...ids, digestOf(delivery.body)] : ids;
}

function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
