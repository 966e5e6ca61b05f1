import type { Policy } from '../../domain/permissions/policy.ts';
import type { TenantDatabase } from '../core/database.ts';
import { MEMBER_COLUMNS, type MemberRow, policyOfMember } from '../permissions/for-turn.ts';

/** A member who can be asked, with their rights. */
export interface AskableMember {
  readonly id: string;
  /** In lower case. */
  readonly email: string;
  /** Whether the address is more than what they say of themselves: an administrator has invited it, or they are one. */
  readonly isKnownByEmail: boolean;
  readonly policy: Policy | null;
}

/** Returns the members of an organization with these addresses, in lower case, or ids. One statement for all. */
export async function findMembers(
  { tenant }: TenantDatabase,
  orgId: string,
  names: readonly string[],
): Promise<AskableMember[]> {
  const rows = await tenant.query<Omit<AskableMember, 'policy'> & MemberRow>(orgId, {
    name: 'find-members-by-name',
    text: `select u.id, lower(u.email) as email,
        m.role in ('admin', 'owner') or coalesce(lower(m.invited_email) = lower(u.email), false) as "isKnownByEmail",
        ${MEMBER_COLUMNS}
      from memberships m join users u on u.id = m.user_id
      where m.org_id = $1 and (lower(u.email) = any($2::text[]) or u.id::text = any($2::text[]))`,
    values: [orgId, names],
  });
  return rows.map(({ id, email, isKnownByEmail, ...member }) => ({
    id,
    email,
    isKnownByEmail,
    policy: policyOfMember(member),
  }));
}
