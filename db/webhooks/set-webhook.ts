import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { AppError } from '../../domain/core/app-error.ts';
import { afterCommit } from '../core/after-commit.ts';
import type { Database } from '../core/database.ts';
import { type SecretBox, SecretColumn } from '../core/secret-box.ts';
import { RESUME_DELIVERIES } from './deliveries.ts';
import { OWNER_COLUMNS, type WebhookOwner } from './next-delivery.ts';
import { deliveriesTo } from './notify-webhook.ts';

/** The changes of a webhook; what is undefined stays. */
interface WebhookChanges {
  /** Null removes the webhook with all its deliveries. */
  readonly url?: string | null | undefined;
  /** Null removes the secret. */
  readonly secret?: string | null | undefined;
}

/** A target that is locked. */
export interface Target {
  readonly id: string;
  readonly secret: Buffer | null;
}

/**
 * Sets, changes or removes the webhook of an owner, in the transaction that has locked the owner. Deliveries
 * that wait are tried at once. A secret that is replaced signs for another 24 hours, beside the new one.
 */
export async function setWebhook(
  em: EntityManager,
  box: SecretBox,
  owner: WebhookOwner,
  changes: WebhookChanges & { readonly userId: string },
): Promise<void> {
  const { url, secret, userId } = changes;
  if (url === undefined && secret === undefined) return;
  const column = OWNER_COLUMNS[owner.kind];
  const [target] = await em.execute<Target[]>(
    `select id, secret from webhook_targets where ${column} = ? for no key update`,
    [owner.id],
  );
  if (target !== undefined && url !== null) return changeTarget(em, box, { owner, target }, changes);
  if (url != null) {
    const sealed = secret == null ? null : signingSecrets.seal(box, owner, secret);
    await em.execute(
      `insert into webhook_targets (id, org_id, ${column}, user_id, url, secret) values (?, ?, ?, ?, ?, ?)`,
      [uuidv7(), owner.orgId, owner.id, userId, url, sealed],
    );
    return;
  }
  if (secret != null) throw new AppError('unprocessable', 'There is no address for which the secret could sign');
  await em.execute(`delete from webhook_targets where ${column} = ?`, [owner.id]);
}

async function changeTarget(
  em: EntityManager,
  box: SecretBox,
  { owner, target }: { readonly owner: WebhookOwner; readonly target: Target },
  { url, secret, userId }: WebhookChanges & { readonly userId: string },
): Promise<void> {
  await em.execute(
    `update webhook_targets set url = coalesce(?, url), user_id = ?, failures = 0, paused_at = null, pause_reason = null,
        version = version + 1, due_at = now(), updated_at = now() where id = ?`,
    [url ?? null, userId, target.id],
  );
  await em.execute(RESUME_DELIVERIES, [target.id]);
  afterCommit(em, { dueWork: deliveriesTo(owner.orgId, [target.id]) });
  await changeSecret(em, box, { owner, target }, secret);
}

/** Replaces or removes the secret of a locked target; undefined leaves it. */
export async function changeSecret(
  em: EntityManager,
  box: SecretBox,
  { owner, target }: { readonly owner: WebhookOwner; readonly target: Target },
  secret: string | null | undefined,
): Promise<void> {
  if (secret === null) await em.execute(REMOVE_SECRET, [target.id]);
  // The same one again replaces nothing.
  else if (secret !== undefined && !isSame(box, owner, target, secret))
    await em.execute(isReadable(box, target) ? REPLACE_SECRET : SET_SECRET, [
      signingSecrets.seal(box, owner, secret),
      target.id,
    ]);
}

const isReadable = (box: SecretBox, { secret }: Target) => secret === null || box.holdsKeyOf(secret);

const isSame = (box: SecretBox, owner: WebhookOwner, target: Target, given: string) =>
  target.secret !== null && isReadable(box, target) && signingSecrets.open(box, owner, target.secret) === given;

const REMOVE_SECRET =
  'update webhook_targets set secret = null, former_secret = null, former_until = null where id = ?';

// One that nobody can read signs nothing any more.
const SET_SECRET = 'update webhook_targets set secret = ?, former_secret = null, former_until = null where id = ?';

const REPLACE_SECRET = `update webhook_targets set former_secret = secret, former_until = now() + interval '24 hours',
  secret = ? where id = ?`;

/** The secrets with which deliveries are signed; each is bound to the owner of its target. */
export const signingSecrets = new SecretColumn('webhook-targets', 'secret');

/** A webhook, as its owner sees it. */
export interface ShownWebhook {
  readonly url: string;
  readonly hasSecret: boolean;
  readonly status: 'active' | 'paused';
  /** Why nothing is sent; null unless it is paused. */
  readonly pauseReason: string | null;
}

const SHOWN = `json_build_object('url', w.url, 'hasSecret', w.secret is not null,
  'status', case when w.paused_at is null then 'active' else 'paused' end, 'pauseReason', w.pause_reason)`;

/** Returns an SQL expression: the address that a chat notifies, null when there is none. */
export function webhookOfChat(chatId: string): string {
  return `(select ${SHOWN} from webhook_targets w where w.chat_id = ${chatId})`;
}

/** Returns the targets of workflows, schedules or destinations, by the ids of these. */
export async function webhooksOf(
  { tenant }: Pick<Database, 'tenant'>,
  orgId: string,
  kind: 'workflow' | 'schedule' | 'destination',
  ids: readonly string[],
): Promise<ReadonlyMap<string, ShownWebhook>> {
  const column = `w.${OWNER_COLUMNS[kind]}`;
  const rows = await tenant.query<{ id: string; webhook: ShownWebhook }>(orgId, {
    name: `webhooks-of-${kind}s`,
    text: `select ${column} as id, ${SHOWN} as webhook from webhook_targets w where ${column} = any($1::uuid[])`,
    values: [ids],
  });
  return new Map(rows.map(({ id, webhook }) => [id, webhook]));
}
