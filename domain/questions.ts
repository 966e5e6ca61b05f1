import { isAtLeast } from './orgs.ts';
import { type Role, ROLES } from './permissions/keys.ts';

/** The tool with which an agent asks a person. */
export const ASK_PERSON = 'ask_person';

/** Who may answer a question: one user, or everybody with a role or a higher one. Both are null when nobody is left. */
export interface Asked {
  readonly userId: string | null;
  readonly role: Role | null;
}

/** Roles that a question can be asked of; viewers do not decide. */
const ASKED_ROLES = ['member', 'admin', 'owner'] as const satisfies readonly Role[];

/** Whom a call names: the user whom the agent works for, a role, or a member by their address or id. */
export type NamedPerson =
  | { readonly kind: 'owner' }
  | { readonly kind: 'role'; readonly role: Role }
  | { readonly kind: 'member'; readonly name: string };

const ROLE_PREFIX = 'role:';

/** Reads whom a call names; `undefined` for a role that there is not. */
export function readNamedPerson(text: string): NamedPerson | undefined {
  const name = text.trim().toLowerCase();
  if (name === 'owner') return { kind: 'owner' };
  if (!name.startsWith(ROLE_PREFIX)) return { kind: 'member', name };
  const role = ASKED_ROLES.find((each) => each === name.slice(ROLE_PREFIX.length).trim());
  return role && { kind: 'role', role };
}

/** Returns the roles of whose questions somebody with this role may answer: their own, and those below. */
export function rolesAnsweredBy(role: Role): readonly Role[] {
  return ROLES.filter((each) => isAtLeast(role, each));
}

/** Returns whether somebody is among those who are asked. */
export function isAsked(asked: Asked, person: { readonly userId: string; readonly role: Role }): boolean {
  return asked.userId === person.userId || (asked.role !== null && isAtLeast(person.role, asked.role));
}
