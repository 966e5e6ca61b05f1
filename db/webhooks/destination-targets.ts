import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import type { DestinationConfig, DestinationKind } from '../../domain/destinations.ts';
import { afterCommit } from '../core/after-commit.ts';
import type { SecretBox } from '../core/secret-box.ts';
import type { TenantDatabase } from '../core/database.ts';
import { RESUME_DELIVERIES } from './deliveries.ts';
import type { WebhookOwner } from './next-delivery.ts';
import { changeSecret, signingSecrets, type Target } from './set-webhook.ts';
import { deliveriesTo } from './notify-webhook.ts';

/** A destination, whose target has its queue of deliveries and is paused or active. */
type DestinationOwner = WebhookOwner & { readonly kind: 'destination' };

interface TargetFields {
  /** Null for a destination of another kind than `webhook`. */
  readonly url: string | null | undefined;
  /** Null removes the secret; undefined leaves it. */
  readonly secret: string | null | undefined;
  /** The user who sets it. */
  readonly userId: string;
}

/** Adds the target of a new destination. */
export async function addDestinationTarget(
  em: EntityManager,
  box: SecretBox,
  owner: DestinationOwner,
  { url, secret, userId }: TargetFields,
): Promise<void> {
  const sealed = secret == null ? null : signingSecrets.seal(box, owner, secret);
  await em.execute(
    'insert into webhook_targets (id, org_id, destination_id, user_id, url, secret) values (?, ?, ?, ?, ?, ?)',
    [uuidv7(), owner.orgId, owner.id, userId, url ?? null, sealed],
  );
}

/**
 * Changes the target of a locked destination. What waits is tried at once, with its full time, also when failures have
 * paused the destination; one that a person has paused continues only when it `resumes`.
 */
export async function changeDestinationTarget(
  em: EntityManager,
  box: SecretBox,
  owner: DestinationOwner,
  { url, secret, userId, resumes }: TargetFields & { readonly resumes: boolean },
): Promise<void> {
  const [target] = await em.execute<Target[]>(
    'select id, secret from webhook_targets where destination_id = ? for no key update',
    [owner.id],
  );
  if (target === undefined) throw new Error('a destination has no target');
  await em.execute(CHANGE, [url ?? null, userId, resumes, resumes, target.id]);
  await em.execute(RESUME_DELIVERIES, [target.id]);
  await changeSecret(em, box, { owner, target }, secret);
  afterCommit(em, { dueWork: deliveriesTo(owner.orgId, [target.id]) });
}

const CHANGE = `update webhook_targets set url = ?, user_id = ?, failures = 0, version = version + 1, updated_at = now(),
    paused_at = case when ? or pause_reason is not null then null else paused_at end, pause_reason = null,
    due_at = case when ? or pause_reason is not null or paused_at is null then now() end
  where id = ?`;

/** Pauses a locked destination until a person resumes it; deliveries are still queued. */
export async function pauseDestination(em: EntityManager, owner: DestinationOwner): Promise<void> {
  await em.execute(
    'update webhook_targets set paused_at = now(), pause_reason = null, due_at = null where destination_id = ?',
    [owner.id],
  );
}

/** A destination with the secrets of its target, which are still encrypted. */
export interface DestinationTarget {
  readonly id: string;
  readonly orgId: string;
  readonly name: string;
  readonly kind: DestinationKind;
  readonly config: DestinationConfig;
  readonly integrationId: string | null;
  readonly updatedAt: Date;
  /** Those that sign: the newest first. */
  readonly secrets: readonly Buffer[];
}

interface DestinationRow extends Omit<DestinationTarget, 'secrets'> {
  readonly secret: Buffer | null;
  readonly formerSecret: Buffer | null;
}

/** Returns a destination with the secrets of its target; undefined when there is none. */
export async function findDestinationTarget(
  { tenant }: TenantDatabase,
  { orgId, destinationId }: { readonly orgId: string; readonly destinationId: string },
): Promise<DestinationTarget | undefined> {
  const [row] = await tenant.query<DestinationRow>(orgId, {
    name: 'find-destination-target',
    text: `select d.id, d.org_id as "orgId", d.name, d.kind, d.config, d.integration_id as "integrationId",
        d.updated_at as "updatedAt", w.secret, case when w.former_until > now() then w.former_secret end as "formerSecret"
      from destinations d join webhook_targets w on w.destination_id = d.id where d.id = $1`,
    values: [destinationId],
  });
  if (row === undefined) return undefined;
  const { secret, formerSecret, ...destination } = row;
  return { ...destination, secrets: [secret, formerSecret].filter((each) => each !== null) };
}
