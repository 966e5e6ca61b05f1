import { type GroupRules, type Policy, policyOf, type Role } from '../../domain/permissions/index.ts';
import { groupsOf } from './groups-of.ts';

/** A member's role and groups; the role is null, or the row missing, for a user who is no member. */
export interface MemberRow {
  readonly userRole: Role | null;
  readonly groups: readonly GroupRules[];
}

/** The role of membership `m`, and the groups that restrict it, as columns of a `MemberRow`. */
export const MEMBER_COLUMNS = `m.role as "userRole", case when m.role in ('admin', 'owner') then '[]'
  else ${groupsOf('m.org_id', 'm.user_id')} end as groups`;

/** Reads the inputs of the policy of the user of the chat `$1`. */
export const MEMBER_OF_CHAT = `select ${MEMBER_COLUMNS}
  from chats c join memberships m on m.org_id = c.org_id and m.user_id = c.user_id where c.id = $1`;

/** Makes a member's policy; null for a user who is no member. */
export function policyOfMember(member: MemberRow | undefined): Policy | null {
  if (member === undefined || member.userRole === null) return null;
  return policyOf(member.userRole, member.groups);
}
