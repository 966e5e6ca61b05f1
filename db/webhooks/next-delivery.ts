import type { TenantDatabase } from '../core/index.ts';
import type { WebhookOwner } from './owner.ts';

/** An address that is told. */
export interface TargetRef {
  readonly orgId: string;
  readonly targetId: string;
}

/** Something that an address is to be told next. */
export interface Delivery {
  readonly id: string;
  readonly messageId: string | null;
  readonly runId: string | null;
  /** The attempts since it was queued last. */
  readonly tries: number;
  /** For how long it has been queued, in milliseconds. */
  readonly age: number;
  /** How long it is still to wait, in milliseconds. */
  readonly waitMs: number;
}

/** An address that may be told, and what it is told next. */
export interface WebhookTarget {
  readonly owner: WebhookOwner;
  readonly url: string;
  /** Those that sign, encrypted: the newest first. */
  readonly secrets: readonly Buffer[];
  /** Who has set it; null when the account is gone. */
  readonly userId: string | null;
  readonly version: number;
  readonly next: Delivery | undefined;
}

interface TargetRow extends Omit<Delivery, 'id'> {
  readonly kind: WebhookOwner['kind'];
  readonly ownerId: string;
  readonly url: string;
  readonly secret: Buffer | null;
  readonly formerSecret: Buffer | null;
  readonly userId: string | null;
  readonly version: number;
  readonly id: string | null;
}

/** Returns an address and what it is told next; undefined when it is gone, or paused. */
export async function nextDelivery(
  { tenant }: TenantDatabase,
  { orgId, targetId }: TargetRef,
): Promise<WebhookTarget | undefined> {
  const [row] = await tenant.query<TargetRow>(orgId, { name: 'next-webhook-delivery', text: NEXT, values: [targetId] });
  if (row === undefined) return undefined;
  const { kind, ownerId, url, secret, formerSecret, userId, version, id, ...delivery } = row;
  const secrets = [secret, formerSecret].filter((each) => each !== null);
  const next = id === null ? undefined : { id, ...delivery };
  return { owner: { orgId, kind, id: ownerId }, url, secrets, userId, version, next };
}

// `coalesce` is on the selected row only, so no index is missed.
const NEXT = `select case when w.chat_id is not null then 'chat' when w.workflow_id is not null then 'workflow' else 'schedule' end as kind,
    coalesce(w.chat_id, w.workflow_id, w.schedule_id) as "ownerId", w.url, w.secret, w.user_id as "userId", w.version,
    case when w.former_until > now() then w.former_secret end as "formerSecret",
    d.id, d.message_id as "messageId", d.run_id as "runId", d.tries,
    extract(epoch from now() - d.queued_at)::float8 * 1000 as age,
    greatest(0, extract(epoch from d.next_attempt_at - now())::float8 * 1000) as "waitMs"
  from webhook_targets w left join lateral (
    select * from webhook_deliveries d where d.target_id = w.id and d.status = 'pending' order by d.seq limit 1
  ) d on true
  where w.id = $1 and w.paused_at is null`;
