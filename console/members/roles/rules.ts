import { isAtLeast, mayGrant } from '../../../domain/orgs/index.ts';
import type { Member, Role } from '../queries.ts';
import type { MembersText } from '../text.ts';

/** The roles that can be given; the organization is handed over to its next owner in a way of its own. */
export const GRANTED_ROLES = ['viewer', 'member', 'admin'] as const;

/** Who asks, and about whom. */
export interface MemberQuestion {
  /** The role of whoever asks. */
  readonly caller: Role;
  readonly target: Pick<Member, 'role' | 'is_managed'>;
  readonly isSelf: boolean;
}

/** What a section of a member's page is given. */
export interface MemberSectionProps {
  readonly member: Member;
  readonly question: MemberQuestion;
}

/** Returns why somebody cannot be invited as a role; undefined when they can. The server decides by the same rules. */
export function whyNotInvite(caller: Role, role: Role, { why }: MembersText): string | undefined {
  if (!isAtLeast(caller, 'admin')) return why.adminsOnly;
  return mayGrant(caller, role) ? undefined : why.ownerOnly;
}

/** Returns why a member cannot be given a role; undefined when they can. */
export function whyNotRole({ caller, target, isSelf }: MemberQuestion, to: Role, { why }: MembersText) {
  if (to === target.role) return undefined;
  if (!isAtLeast(caller, 'admin')) return why.adminsOnly;
  if (target.role === 'owner') return why.ownerStays;
  if (isSelf) return isAtLeast(to, caller) ? why.notOneself : undefined;
  return mayGrant(caller, target.role) && mayGrant(caller, to) ? undefined : why.ownerOnly;
}

/** Returns why a member cannot be removed or signed out; undefined when they can. */
export function whyNotEnd({ caller, target, isSelf }: MemberQuestion, { why }: MembersText): string | undefined {
  if (!isAtLeast(caller, 'admin')) return why.adminsOnly;
  if (isSelf) return undefined;
  if (target.role === 'owner') return why.ownerStays;
  return mayGrant(caller, target.role) ? undefined : why.ownerOnly;
}

/** Returns why no link for a new password can be made; undefined when it can. */
export function whyNoPasswordLink({ caller, target }: MemberQuestion, { why }: MembersText): string | undefined {
  if (!isAtLeast(caller, 'admin')) return why.adminsOnly;
  return target.is_managed ? undefined : why.notManaged;
}
