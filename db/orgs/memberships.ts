import type { EntityManager } from '@mikro-orm/postgresql';
import { notFound } from '../../domain/core/app-error.ts';
import type { Membership } from '../../domain/orgs.ts';
import type { Role } from '../../domain/permissions/keys.ts';
import { afterCommit } from '../core/after-commit.ts';
import type { Database } from '../core/database.ts';
import { type Listed, type Page, readPage } from '../core/page.ts';
import type { Transaction } from '../core/transactions.ts';
import { uuidArray } from '../records/records.ts';

interface NewMember {
  readonly role: Role;
  /** The address for which an administrator has invited them; null where none is named. */
  readonly invitedEmail: string | null;
}

/** Makes the user a member; returns false when they are one already, in which case their role stays. */
export async function addMember(
  transaction: Transaction,
  { orgId, userId }: Membership,
  { role, invitedEmail }: NewMember,
): Promise<boolean> {
  const { rowCount } = await transaction.query(
    'insert into memberships (org_id, user_id, role, invited_email) values ($1, $2, $3, $4) on conflict do nothing',
    [orgId, userId, role, invitedEmail],
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

/** A member of an organization. */
interface Member {
  readonly userId: string;
  readonly email: string;
  readonly fullName: string;
  readonly role: Role;
  readonly isManaged: boolean;
  readonly joinedAt: Date;
}

const MEMBER = `m.user_id as "userId", u.email, u.full_name as "fullName", m.role, m.created_at as "joinedAt",
  coalesce(u.managed_org_id = m.org_id and m.role in ('viewer', 'member'), false) as "isManaged"`;

/** Returns the members in the order in which they joined. */
export async function listMembers({ tenant }: Database, orgId: string, page: Page): Promise<Listed<Member>> {
  return readPage<Member>(async (statement) => tenant.query(orgId, statement), {
    name: 'list-members',
    columns: MEMBER,
    bytes: '200 + octet_length(u.email) + octet_length(u.full_name)',
    source: 'from memberships m join users u on u.id = m.user_id where m.org_id = $1',
    total: '(select count(*) from memberships where org_id = $1)',
    order: 'm.created_at, m.user_id',
    values: [orgId],
    page,
  });
}

/** Returns one member; `not_found` for anybody else. */
export async function getMember({ tenant }: Database, { orgId, userId }: Membership): Promise<Member> {
  const [member] = await tenant.query<Member>(orgId, {
    name: 'get-member',
    text: `select ${MEMBER} from memberships m join users u on u.id = m.user_id where m.org_id = $1 and m.user_id = $2`,
    values: [orgId, userId],
  });
  if (member === undefined) throw notFound('Member');
  return member;
}
