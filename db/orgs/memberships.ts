import type { Membership } from '../../domain/orgs/index.ts';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Role } from '../../domain/permissions/index.ts';
import { afterCommit, type Transaction } from '../core/index.ts';
import { uuidArray } from '../records/index.ts';

/** Makes the user a member; returns false when they are one already, in which case their role stays. */
export async function addMember(transaction: Transaction, { orgId, userId }: Membership, role: Role): Promise<boolean> {
  const { rowCount } = await transaction.query(
    'insert into memberships (org_id, user_id, role) values ($1, $2, $3) on conflict do nothing',
    [orgId, userId, role],
  );
  afterCommit(transaction, {
    accessOf: [userId],
    changed: [{ orgId, resource: 'members', id: userId, action: 'created' }],
  });
  return rowCount === 1;
}

/** Sets the role of a member. */
export async function setMemberRole(
  transaction: Transaction,
  { orgId, userId }: Membership,
  role: Role,
): Promise<void> {
  await transaction.query('update memberships set role = $3 where org_id = $1 and user_id = $2', [orgId, userId, role]);
  afterCommit(transaction, { accessOf: [userId] });
}

/** A member's role and policy, as they were read for a request. */
interface KnownRights extends Membership {
  readonly role: Role;
  readonly policyVersion: string;
}

/** Returns whether a member's role and policy are still these; then they stay so until the transaction has ended. */
export async function lockRights(
  em: EntityManager,
  { orgId, userId, role, policyVersion }: KnownRights,
): Promise<boolean> {
  const rows = await em.execute<unknown[]>(
    `select 1 from memberships where org_id = ? and user_id = ? and role = ? and policy_version = ?
      for no key update`,
    [orgId, userId, role, policyVersion],
  );
  return rows.length > 0;
}

/** Deletes the row of a membership; what depends on it is ended with `endMembership`. */
export async function deleteMembership(transaction: Transaction, { orgId, userId }: Membership): Promise<void> {
  await transaction.query('delete from memberships where org_id = $1 and user_id = $2', [orgId, userId]);
  afterCommit(transaction, {
    accessOf: [userId],
    changed: [{ orgId, resource: 'members', id: userId, action: 'deleted' }],
  });
}

/** Deletes the memberships of an organization. */
export async function deleteMemberships(transaction: Transaction, orgId: string): Promise<void> {
  const { rows } = await transaction.query<{ userId: string }>(
    'delete from memberships where org_id = $1 returning user_id as "userId"',
    [orgId],
  );
  afterCommit(transaction, { accessOf: rows.map(({ userId }) => userId) });
}

/**
 * Notes, in the transaction of the change, that the policies of these members have changed: cached policies are not
 * used again. Their open connections are checked again, and waiting turns check whether they may continue.
 */
export async function changePolicies(em: EntityManager, orgId: string, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return;
  // In one order, so that two changes at once do not wait for each other.
  await em.execute(
    `update memberships set policy_version = gen_random_uuid() where org_id = ? and user_id in (
        select user_id from memberships where org_id = ? and user_id = any(?::uuid[]) order by user_id for no key update
      )`,
    [orgId, orgId, uuidArray(userIds)],
  );
  afterCommit(em, { accessOf: userIds, wakesTurnsOf: orgId });
}
