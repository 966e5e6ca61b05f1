import { AppError } from '../core/app-error.ts';
import { type Role, ROLES } from '../permissions/index.ts';

/** Returns whether a role is `least` or higher. */
export function isAtLeast(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}

/** Returns whether a member with this role may grant a role: admins those below their own, the owner every one. */
export function mayGrant(caller: Role, role: Role): boolean {
  return caller === 'owner' || (caller === 'admin' && !isAtLeast(role, 'admin'));
}

/** Two members of one organization, the first of whom wants to do something to the second. */
interface MemberAction {
  readonly caller: Role;
  readonly target: Role;
  readonly isSelf: boolean;
}

/** The effect of a change of a member's role. */
export type RoleChange = 'none' | 'change' | 'transfer';

/** Decides about a change of a role; throws in words when it may not be. */
export function evaluateRoleChange({ caller, target, isSelf }: MemberAction, to: Role): RoleChange {
  if (to === 'owner') return evaluateTransfer({ caller, target, isSelf });
  if (target === 'owner') throw ownerStays(caller);
  if (isSelf && !isAtLeast(to, caller)) return 'change';
  rejectUnlessAbove({ caller, target, isSelf });
  if (to === target) return 'none';
  if (!mayGrant(caller, to)) throw new AppError('forbidden', `Only the owner may grant the role ${to}`);
  return 'change';
}

function evaluateTransfer({ caller, isSelf }: MemberAction): RoleChange {
  if (caller !== 'owner') throw new AppError('forbidden', 'Only the owner may hand the organization over');
  return isSelf ? 'none' : 'transfer';
}

/** Throws unless the caller may remove the target or end their access: nobody the owner, admins no other admin. */
export function rejectUnlessAbove({ caller, target, isSelf }: MemberAction): void {
  if (isSelf || caller === 'owner') return;
  if (!mayGrant(caller, target)) throw new AppError('forbidden', `Your role does not allow this for the ${target}`);
}

function ownerStays(caller: Role): AppError {
  if (caller !== 'owner') return new AppError('forbidden', "The owner's role changes only when they hand it over");
  return new AppError('conflict', 'The owner keeps this role until somebody else is made the owner');
}
