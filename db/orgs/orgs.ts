import { v7 as uuidv7 } from 'uuid';
import type { Membership, OrgLimits } from '../../domain/orgs.ts';
import { notFound } from '../../domain/core/app-error.ts';
import type { Database } from '../core/database.ts';
import { type Listed, type Page, readPage } from '../core/page.ts';
import { type Transaction, withSystemTransaction } from '../core/transactions.ts';
import { lockUser, setActiveOrg, settleUser } from '../users/settle-user.ts';
import type { Role } from '../../domain/permissions/keys.ts';
import type { DecidingRole } from '../../domain/questions.ts';
import { addMember } from './memberships.ts';
import { requireRoomForOrg } from './require-room.ts';

/** An organization as one of its members sees it. */
interface Org {
  readonly id: string;
  readonly name: string;
  readonly icon: string;
  readonly color: string;
  /** Whether nobody approves calls and steps that are made in their own name. */
  readonly approvalsOtherPerson: boolean;
  /** Whether those who follow the link of a mail decide signed in only. */
  readonly approvalsSignIn: boolean;
  /** How many people have to approve a call or a step. */
  readonly approvalsQuorum: number;
  /** After how many minutes those who have to decide are reminded; null when they are not. */
  readonly approvalsReminderMinutes: number | null;
  /** After how many minutes what nobody has decided about is escalated; null when it is not. */
  readonly approvalsEscalationMinutes: number | null;
  /** To whose holders, and those of higher ones, it is escalated where no member is named. */
  readonly approvalsEscalationRole: DecidingRole;
  /** The member to whom it is escalated, as long as they are one. */
  readonly approvalsEscalationUserId: string | null;
  /** The role of that member. */
  readonly role: Role;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The columns of `Org`, for statements that select from `orgs o` and `memberships m`. */
const ORG_COLUMNS = `o.id, o.name, o.icon, o.color, o.approvals_other_person as "approvalsOtherPerson",
  o.approvals_sign_in as "approvalsSignIn", o.approvals_quorum as "approvalsQuorum", o.approvals_reminder_minutes as "approvalsReminderMinutes",
  o.approvals_escalation_minutes as "approvalsEscalationMinutes", o.approvals_escalation_role as "approvalsEscalationRole",
  o.approvals_escalation_user_id as "approvalsEscalationUserId", m.role, o.created_at as "createdAt", o.updated_at as "updatedAt"`;

/** Returns the user's organizations, by name. */
export async function listOrgs({ system }: Database, userId: string, page: Page): Promise<Listed<Org>> {
  return readPage<Org>(async (statement) => (await system.query<Org>(statement)).rows, {
    name: 'list-orgs',
    columns: ORG_COLUMNS,
    bytes: '300 + octet_length(o.name) + octet_length(o.icon) + octet_length(o.color)',
    source: 'from memberships m join orgs o on o.id = m.org_id where m.user_id = $1',
    order: 'o.name, o.id',
    values: [userId],
    page,
  });
}

/** Returns the organization as its member sees it; `not_found` for anybody else. */
export async function getOrg({ system }: Database, { orgId, userId }: Membership): Promise<Org> {
  const { rows } = await system.query<Org>({
    name: 'get-org',
    text: `select ${ORG_COLUMNS} from memberships m join orgs o on o.id = m.org_id where m.org_id = $1 and m.user_id = $2`,
    values: [orgId, userId],
  });
  const [org] = rows;
  if (org === undefined) throw notFound('Organization');
  return org;
}

interface OrgFields {
  readonly name: string;
  readonly icon: string;
  readonly color: string;
}

/** Stores an organization, which has no members yet. */
export async function insertOrg(
  transaction: Transaction,
  orgId: string,
  { name, icon, color }: OrgFields,
): Promise<void> {
  await transaction.query('insert into orgs (id, name, icon, color) values ($1, $2, $3, $4)', [
    orgId,
    name,
    icon,
    color,
  ]);
}

/**
 * Creates an organization that the user owns. It becomes their active one when they have none. An owner's account is
 * managed by no organization from then on.
 */
export async function createOrg(
  database: Database,
  userId: string,
  fields: OrgFields,
  limits: Pick<OrgLimits, 'orgs'>,
): Promise<Org> {
  const orgId = uuidv7();
  await withSystemTransaction(database, async (transaction) => {
    if (!(await lockUser(transaction, userId))) throw notFound('User');
    await requireRoomForOrg(transaction, userId, limits);
    await insertOrg(transaction, orgId, fields);
    await addMember(transaction, { orgId, userId }, { role: 'owner', invitedEmail: null });
    await settleUser(transaction, { orgId, userId });
  });
  return getOrg(database, { orgId, userId });
}

type ChangedFields = Omit<Org, 'id' | 'role' | 'createdAt' | 'updatedAt'>;
type OrgChanges = { readonly [Field in keyof ChangedFields]?: ChangedFields[Field] | undefined };

/** Changes the given fields for a user who is an admin or the owner; `not_found` when they no longer are. */
export async function updateOrg(
  { system }: Database,
  { orgId, userId }: Membership,
  changes: OrgChanges,
): Promise<void> {
  const { name, icon, color, approvalsOtherPerson, approvalsSignIn, approvalsReminderMinutes } = changes;
  const { approvalsQuorum, approvalsEscalationMinutes, approvalsEscalationRole, approvalsEscalationUserId } = changes;
  const { rowCount } = await system.query(
    `update orgs set name = coalesce($3, name), icon = coalesce($4, icon), color = coalesce($5, color),
        approvals_other_person = coalesce($6, approvals_other_person), approvals_sign_in = coalesce($7, approvals_sign_in),
        approvals_reminder_minutes = case when $8 then $9 else approvals_reminder_minutes end,
        approvals_escalation_minutes = case when $10 then $11 else approvals_escalation_minutes end,
        approvals_escalation_role = coalesce($12, approvals_escalation_role),
        approvals_escalation_user_id = case when not $13 then approvals_escalation_user_id else
          (select named.user_id from memberships named where named.org_id = $1 and named.user_id = $14 for key share) end,
        approvals_quorum = coalesce($15, approvals_quorum),
        updated_at = now()
      where id = $1 and exists (
        select from memberships where org_id = $1 and user_id = $2 and role in ('admin', 'owner')
      )`,
    [
      orgId,
      userId,
      name ?? null,
      icon ?? null,
      color ?? null,
      approvalsOtherPerson ?? null,
      approvalsSignIn ?? null,
      approvalsReminderMinutes !== undefined,
      approvalsReminderMinutes ?? null,
      approvalsEscalationMinutes !== undefined,
      approvalsEscalationMinutes ?? null,
      approvalsEscalationRole ?? null,
      approvalsEscalationUserId !== undefined,
      approvalsEscalationUserId ?? null,
      approvalsQuorum ?? null,
    ],
  );
  if (rowCount === 0) throw notFound('Organization');
}

/** Makes the organization the user's active one; `not_found` when they are no member of it. */
export async function switchOrg(database: Database, { orgId, userId }: Membership): Promise<void> {
  if (!(await setActiveOrg(database.system, { orgId, userId }))) throw notFound('Organization');
  // Sockets that were opened without naming an organization belong to the former one.
  await database.follow([{ accessOf: [userId] }]);
}

/** Marks an organization as deleted; its records are removed later. */
export async function markOrgDeleted(transaction: Transaction, orgId: string): Promise<void> {
  await transaction.query('update orgs set deleted_at = now(), updated_at = now() where id = $1', [orgId]);
}

/** Deletes the row of an organization, with what still refers to it. Notes that its files are left to be removed. */
export async function deleteOrgRow(system: Transaction, orgId: string): Promise<void> {
  await system.query(
    `with purged as (delete from orgs where id = $1 returning id)
      insert into purged_orgs (id) select id from purged`,
    [orgId],
  );
}

/** Notes that nothing is left of an organization, its files included. */
export async function forgetPurgedOrg({ system }: Database, orgId: string): Promise<void> {
  await system.query('delete from purged_orgs where id = $1', [orgId]);
}
