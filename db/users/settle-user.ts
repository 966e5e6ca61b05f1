import type { Membership } from '../../domain/orgs.ts';
import type { Transaction } from '../core/transactions.ts';

/**
 * Locks an account against other changes of it and of its memberships; rows that refer to it can still be added.
 * Returns false when it was deleted.
 *
 * Changes of accounts and memberships call this first, and lock what belongs to them last: sessions, keys, turns. A row
 * that is added locks what it refers to in the order of its foreign keys: organization, account, membership. So `for
 * update`, which keeps such rows from being added, is taken in that order too.
 */
export async function lockUser(transaction: Transaction, userId: string): Promise<boolean> {
  const { rowCount } = await transaction.query(
    'select from users where id = $1 and deleted_at is null for no key update',
    [userId],
  );
  return rowCount === 1;
}

/** Locks the accounts of an organization's members, as `lockUser` does. */
export async function lockMembers(transaction: Transaction, orgId: string): Promise<void> {
  await transaction.query(
    `select from users where id in (select user_id from memberships where org_id = $1) order by id for no key update`,
    [orgId],
  );
}

/**
 * Records that a user has joined or created an organization on their own: no organization manages their account from
 * then on, and it is their active one if they had none. Returns their address; undefined when the account was deleted.
 */
export async function settleUser(transaction: Transaction, { orgId, userId }: Membership): Promise<string | undefined> {
  const { rows } = await transaction.query<{ email: string }>(
    `update users set active_org_id = coalesce(active_org_id, $2), is_managed = false, managed_org_id = null,
      updated_at = now() where id = $1 and deleted_at is null returning email`,
    [userId, orgId],
  );
  return rows[0]?.email;
}

/** Makes the organization the user's active one; returns false when they are no member of it. */
export async function setActiveOrg(transaction: Transaction, { orgId, userId }: Membership): Promise<boolean> {
  const { rowCount } = await transaction.query(
    `update users set active_org_id = $1, updated_at = now()
      where id = $2 and deleted_at is null and exists (select from memberships where org_id = $1 and user_id = $2)`,
    [orgId, userId],
  );
  return rowCount === 1;
}

/** Ends what binds a user to an organization: it manages their account no longer, and another one is active. */
export async function detachUser(transaction: Transaction, { orgId, userId }: Membership): Promise<void> {
  await transaction.query(
    `update users set updated_at = now(), is_managed = is_managed and managed_org_id is distinct from $1,
        managed_org_id = nullif(managed_org_id, $1), active_org_id = case when active_org_id <> $1 then active_org_id else (
          select org_id from memberships where user_id = $2 and org_id <> $1 order by created_at, org_id limit 1
        ) end
      where id = $2 and (active_org_id = $1 or managed_org_id = $1)`,
    [orgId, userId],
  );
}

/**
 * Ends the management of accounts by an organization that is deleted: of its administrators, and of members of other
 * organizations. The accounts of the others are removed with its records.
 */
export async function releaseManagedUsers(transaction: Transaction, orgId: string): Promise<void> {
  await transaction.query(
    `update users set is_managed = false, managed_org_id = null from memberships m
      where m.org_id = $1 and m.user_id = users.id and users.managed_org_id = $1 and (m.role in ('admin', 'owner')
        or exists (select from memberships other where other.user_id = users.id and other.org_id <> $1))`,
    [orgId],
  );
}

/** Gives those whose active organization was deleted another one of theirs. */
export async function leaveActiveOrg(transaction: Transaction, orgId: string): Promise<void> {
  await transaction.query(
    `update users set updated_at = now(), active_org_id = (
        select org_id from memberships where user_id = users.id order by created_at, org_id limit 1
      ) where active_org_id = $1`,
    [orgId],
  );
}

/** Deletes the accounts that an organization manages and that belong to none. */
export async function deleteManagedUsers(system: Transaction, orgId: string): Promise<void> {
  await system.query(
    `delete from users where managed_org_id = $1 and is_managed
      and not exists (select from memberships where memberships.user_id = users.id)`,
    [orgId],
  );
}
