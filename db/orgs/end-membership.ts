import { afterCommit, type Transaction } from '../core/index.ts';
import type { Membership } from './orgs.ts';

/**
 * Ends a membership with everything that depended on it: the user's keys, devices and open invites of the organization,
 * and password links by or for them. Their running turns there are asked to stop, the organization manages their
 * account no longer, and another of their organizations becomes their active one.
 */
export async function endMembership(transaction: Transaction, { orgId, userId }: Membership): Promise<void> {
  const { rows } = await transaction.query<{ id: string }>(
    `with membership as (delete from memberships where org_id = $1 and user_id = $2),
      invited as (delete from invites where org_id = $1 and created_by = $2 and used_at is null),
      links as (delete from password_links where org_id = $1 and (created_by = $2 or user_id = $2)),
      devices as (delete from device_tokens where org_id = $1 and user_id = $2 returning session_id),
      signed_out as (
        update sessions set revoked_at = now() from devices where sessions.id = devices.session_id and revoked_at is null
      ),
      keys as (delete from api_keys where org_id = $1 and user_id = $2),
      moved as (
        update users set updated_at = now(), is_managed = is_managed and managed_org_id is distinct from $1,
          managed_org_id = nullif(managed_org_id, $1), active_org_id = case when active_org_id <> $1 then active_org_id else (
            select org_id from memberships where user_id = $2 and org_id <> $1 order by created_at, org_id limit 1
          ) end
        where id = $2 and (active_org_id = $1 or managed_org_id = $1)
      )
      update turns set interrupt_requested_at = coalesce(interrupt_requested_at, now()), next_wake_at = now()
      where org_id = $1 and user_id = $2 and status in ('queued', 'running') returning id`,
    [orgId, userId],
  );
  afterCommit(transaction, { accessOf: [userId], stoppedTurns: rows.map(({ id }) => id) });
}
