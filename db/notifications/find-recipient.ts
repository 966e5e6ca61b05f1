import type { Policy } from '../../domain/permissions/policy.ts';
import type { Role } from '../../domain/permissions/keys.ts';
import type { TenantDatabase } from '../core/database.ts';
import { MEMBER_COLUMNS, type MemberRow, policyOfMember } from '../permissions/for-turn.ts';
import { userName } from '../records/records.ts';

/** Somebody who is notified of what waits for them, with their rights at this moment. */
export interface Recipient {
  readonly orgId: string;
  readonly orgName: string;
  readonly userId: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly policy: Policy;
  readonly policyVersion: string;
  /** Whether they want mails of it. */
  readonly wantsMail: boolean;
  /** Whether those who are notified outside of the console have to sign in to decide. */
  readonly approvalsSignIn: boolean;
}

type RecipientRow = Omit<Recipient, 'role' | 'policy'> & MemberRow;

/** Returns a member as the recipient of notifications; undefined when they have left. */
export async function findRecipient(
  { tenant }: TenantDatabase,
  { orgId, userId }: { readonly orgId: string; readonly userId: string },
): Promise<Recipient | undefined> {
  const [row] = await tenant.query<RecipientRow>(orgId, {
    name: 'find-recipient',
    text: `select o.id as "orgId", o.name as "orgName", u.id as "userId", ${userName('u')} as name, u.email,
        m.policy_version as "policyVersion", o.approvals_sign_in as "approvalsSignIn",
        u.mail_notifications as "wantsMail", ${MEMBER_COLUMNS}
      from memberships m join users u on u.id = m.user_id join orgs o on o.id = m.org_id
      where m.org_id = $1 and m.user_id = $2 and o.deleted_at is null and u.deleted_at is null`,
    values: [orgId, userId],
  });
  if (row === undefined) return undefined;
  const { userRole: role, groups, ...recipient } = row;
  const policy = policyOfMember({ userRole: role, groups });
  return role === null || policy === null ? undefined : { ...recipient, role, policy };
}
