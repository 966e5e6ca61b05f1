import { isAtLeast } from './orgs.ts';
import { type Role, ROLES } from './permissions/keys.ts';

/** The tool with which an agent asks a person. */
export const ASK_PERSON = 'ask_person';

/**
 * Who may answer a question, or to whom an approval is escalated: one user, or everybody with a role or a higher one.
 * Both are null when nobody is left.
 */
export interface Asked {
  readonly userId: string | null;
  readonly role: Role | null;
}

/** Roles that can be asked for a decision; viewers make none. */
export const DECIDING_ROLES = ['member', 'admin', 'owner'] as const satisfies readonly Role[];

export type DecidingRole = (typeof DECIDING_ROLES)[number];

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
  const role = DECIDING_ROLES.find((each) => each === name.slice(ROLE_PREFIX.length).trim());
  return role && { kind: 'role', role };
}

/** Returns the roles of whose questions somebody with this role may answer: their own, and those below. */
export function rolesAnsweredBy(role: Role): readonly Role[] {
  return ROLES.filter((each) => isAtLeast(role, each));
}

interface Person {
  readonly userId: string;
  readonly role: Role;
}

interface AskedQuestion {
  readonly question: Asked | null;
  /** To whom it is escalated; null for nobody. */
  readonly escalatedTo: Asked | null;
}

/** Returns whether somebody may answer a question: it asks them, or is escalated to them. */
export function mayAnswer({ question, escalatedTo }: AskedQuestion, person: Person): boolean {
  return [question, escalatedTo].some((asked) => asked !== null && isAmong(asked, person));
}

function isAmong(asked: Asked, person: Person): boolean {
  return asked.userId === person.userId || (asked.role !== null && isAtLeast(person.role, asked.role));
}
