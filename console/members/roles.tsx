import { useId } from 'react';
import { isAtLeast, mayGrant } from '../../domain/orgs.ts';
import type { Member, Role } from './queries.ts';
import classes from './members.module.css';
import { type MembersText, useMembersText } from './text.ts';

interface RoleFieldProps {
  readonly value: Role;
  readonly onValueChange: (role: Role) => void;
  /** Says why a role cannot be chosen. */
  readonly whyNot: (role: Role) => string | undefined;
  /** Whether a heading above it says already what it is. */
  readonly isTitled?: boolean;
}

/** The roles to choose from, each with what it may do. */
export function RoleField({ value, onValueChange, whyNot, isTitled = false }: RoleFieldProps) {
  const text = useMembersText();
  const id = useId();
  return (
    <fieldset className={`list bare ${classes.roles}`}>
      <legend className={isTitled ? classes.hidden : undefined}>{text.role}</legend>
      {GRANTED_ROLES.map((role) => {
        const reason = whyNot(role);
        return (
          <label key={role} className={`card p-3 ${classes.role}`} data-off={reason !== undefined || undefined}>
            <input
              type="radio"
              name="role"
              value={role}
              checked={value === role}
              disabled={reason !== undefined}
              aria-describedby={`${id}-${role}`}
              onChange={() => onValueChange(role)}
            />
            <strong>{text.roles[role]}</strong>
            <span id={`${id}-${role}`} className={classes.says}>
              {text.rolesSay[role]}
              {reason !== undefined && ` ${reason}`}
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}

/** The roles that can be given; the organization is handed over to its next owner in a way of its own. */
const GRANTED_ROLES = ['viewer', 'member', 'admin'] as const;

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
