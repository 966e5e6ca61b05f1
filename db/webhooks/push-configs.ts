import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { AppError, limitReached } from '../../domain/core/app-error.ts';
import { STATE_OF_TASK } from '../a2a/tasks.ts';
import { afterCommit } from '../core/after-commit.ts';
import type { Database, TenantDatabase } from '../core/database.ts';
import type { SecretBox } from '../core/secret-box.ts';
import { NEW_ID } from '../core/sql.ts';
import { purgeRows } from '../records/records.ts';
import type { TargetRef } from './next-delivery.ts';
import { signingSecrets } from './set-webhook.ts';
import { deliveriesTo } from './notify-webhook.ts';

/** A turn that is a task of the Agent2Agent protocol. */
interface TaskTurn {
  readonly orgId: string;
  readonly turnId: string;
}

/** A URL at which the client of a task is notified of its states. */
export interface PushConfig {
  /** Unique among those of the task; chosen by the client. */
  readonly id: string;
  readonly url: string;
}

interface NewPushConfig extends TaskTurn, PushConfig {
  /** The version of the protocol in which the task is sent. */
  readonly protocolVersion: string;
  /** The headers that authenticate the sender, as JSON; null for none. */
  readonly secret: string | null;
  /** The user who sets it. */
  readonly userId: string;
}

const MAX_CONFIGS = 10;
const MAX_OF_USER = 10_000;

/**
 * Adds a push notification config to a task, whose present state is sent first. A config with the same id is replaced,
 * with its deliveries.
 */
export async function setPushConfig(
  em: EntityManager,
  box: SecretBox,
  { orgId, turnId, id, url, protocolVersion, secret, userId }: NewPushConfig,
): Promise<void> {
  await em.execute('select from turns where id = ? for no key update', [turnId]);
  await em.execute('delete from webhook_targets where turn_id = ? and config_id = ?', [turnId, id]);
  const others = await em.execute<object[]>('select from webhook_targets where turn_id = ?', [turnId]);
  if (others.length >= MAX_CONFIGS)
    throw new AppError('unprocessable', `A task has ${MAX_CONFIGS} push notification configs at most`);
  const [full] = await em.execute<object[]>(
    'select from webhook_targets where user_id = ? and turn_id is not null offset ? limit 1',
    [userId, MAX_OF_USER - 1],
  );
  if (full !== undefined) throw limitReached('push notification configs', MAX_OF_USER, { whose: 'user' });
  const targetId = uuidv7();
  const sealed = secret === null ? null : signingSecrets.seal(box, { orgId, id: turnId }, secret);
  await em.execute(
    `insert into webhook_targets (id, org_id, turn_id, config_id, user_id, url, secret, protocol_version, turn_state,
        due_at, purge_at)
      values (?, ?, ?, ?, ?, ?, ?, ?, '', now(), 'infinity')`,
    [targetId, orgId, turnId, id, userId, url, sealed, protocolVersion],
  );
  afterCommit(em, { dueWork: deliveriesTo(orgId, [targetId]) });
}

/** Returns the push notification configs of a task, oldest first. */
export async function listPushConfigs(
  { tenant }: TenantDatabase,
  { orgId, turnId }: TaskTurn,
): Promise<readonly PushConfig[]> {
  return tenant.query<PushConfig>(orgId, {
    name: 'list-push-configs',
    text: 'select config_id as id, url from webhook_targets where turn_id = $1 order by webhook_targets.id',
    values: [turnId],
  });
}

/** Deletes a push notification config with its deliveries, if there is one. */
export async function deletePushConfig(
  { tenant }: TenantDatabase,
  { orgId, turnId }: TaskTurn,
  id: string,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'delete-push-config',
    text: 'delete from webhook_targets where turn_id = $1 and config_id = $2',
    values: [turnId, id],
  });
}

/** Deletes push notification configs of tasks that ended a day ago, unless something is still to be sent. */
export async function purgePushConfigs(database: Pick<Database, 'system'>): Promise<void> {
  const hasEnded = `exists (
      select from turns t where t.id = webhook_targets.turn_id and t.ended_at < now() - interval '1 day'
    )`;
  const isOld = "turn_id is not null and due_at is null and created_at < now() - interval '1 day'";
  await purgeRows(database, 'webhook_targets', `${isOld} and ${hasEnded}`);
}

/**
 * Queues a delivery of a turn's state unless that is the one that was queued last; returns whether it did. A delivery
 * that is still pending is used again, with a new set of attempts.
 */
export async function queueTurnState({ tenant }: TenantDatabase, { orgId, targetId }: TargetRef): Promise<boolean> {
  const rows = await tenant.query(orgId, {
    name: 'queue-turn-state',
    text: `with changed as (
        update webhook_targets w set turn_state = present.state
        from (
          select t.id, ${STATE_OF_TASK} as state from turns t
          where t.id = (select turn_id from webhook_targets where id = $1)
        ) present
        where w.id = $1 and w.turn_id = present.id and w.turn_state <> present.state
        returning w.id, w.org_id, w.turn_id
      ),
      waiting as (
        update webhook_deliveries d set queued_at = now(), tries = 0 from changed
        where d.target_id = changed.id and d.status = 'pending' returning d.id
      ),
      added as (
        insert into webhook_deliveries (id, org_id, target_id, turn_id)
        select ${NEW_ID}, org_id, id, turn_id from changed where not exists (select from waiting)
      )
      select from changed`,
    values: [targetId],
  });
  return rows.length > 0;
}
