import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { SecretBox } from '../../db/core/index.ts';
import { findWebhook, type HostWebhook, takeDelivery } from '../../db/issue-sync/index.ts';
import { askForTree } from '../../db/repo-trees.ts';
import { projectSecrets } from '../../db/projects/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { parseForeignJson } from '../../domain/core/foreign-json.ts';
import { hostKeyOf, readHostEvent, repositoryIn } from '../../domain/issue-sync/index.ts';
import { CODE_HOST_KINDS, type CodeHostKind } from '../../domain/projects.ts';
import type { ApiContext } from '../context/api-context.ts';
import { type Delivery, defineDeliveryRoute, type StrangerRequest } from '../http/define-route.ts';
import { InvalidRequest } from '../http/problem.ts';
import { idOf } from '../resources/id-fields.ts';
import { bringsSignature, deliveryIdOf, eventOf, isSigned, signsBodyOnly } from './verify-delivery.ts';

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
      .meta({ description: '`repeated`: it was told before; `ignored`: it is about nothing that is kept in step' }),
  })
  .meta({ id: 'HostDeliveryReceipt', examples: [{ status: 'accepted' }] });

const MAX_ID = 200;

/** What hosts call the events after which there is something else in a repository. */
const BRANCH_EVENTS: ReadonlySet<string> = new Set(['push', 'create', 'delete', 'Push Hook']);

/** Takes what a code host tells of issues and comments. Nothing that it sends is logged. */
export const receiveDeliveryRoute = defineDeliveryRoute({
  method: 'post',
  path: '/api/integrations/{repo_type}/webhook/{project_id}',
  resource: 'host_deliveries',
  action: 'receive',
  access: 'public',
  audit: false,
  tag: 'Projects',
  operationId: 'receiveHostDelivery',
  summary: 'For code hosts: tell of issues, comments and branches',
  description:
    'The `webhook_url` of a project with a `webhook_secret`, which the host signs with: `X-Hub-Signature-256` of GitHub, `X-Gitea-Signature` of Gitea, `X-Gitlab-Token` or `webhook-signature` of GitLab. An unknown project and a wrong signature are answered alike. A delivery counts once.',
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
    // Nothing is kept of it, so that it takes no room: told again, it is about nothing again.
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
  throw new InvalidRequest([{ type: 'json_invalid', loc: ['body'], msg: 'the body is not JSON that can be read' }]);
}

// A webhook of a whole organization tells of all its repositories. One that was renamed keeps its id.
function repoIdOf({ repoUrl, repoId }: HostWebhook, payload: unknown): string | undefined {
  const told = repositoryIn(payload);
  if (told === undefined) return undefined;
  const path = URL.parse(repoUrl)?.pathname.toLowerCase() ?? '';
  const isOurs = told.repoId === repoId || path.endsWith(`/${told.path}`) || path.endsWith(`/${told.path}.git`);
  return isOurs ? told.repoId : undefined;
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
