import { randomBytes } from 'node:crypto';

const STATE = /^(?<orgId>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[\w-]{43}$/;

/** Returns a state that nobody can guess. It names the organization in which it is looked for, and nowhere else. */
export function newState(orgId: string): string {
  return `${orgId}.${randomBytes(32).toString('base64url')}`;
}

/** Returns the organization that a state names; undefined when it is none of ours. */
export function orgOfState(state: string): string | undefined {
  return STATE.exec(state)?.groups?.['orgId'];
}
