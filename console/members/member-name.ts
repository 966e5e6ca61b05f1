import type { Member } from './queries.ts';

/** Returns what a member is called: the name, or the address of who has given none. */
export function nameOf({ full_name: name, email }: Pick<Member, 'full_name' | 'email'>): string {
  return name === '' ? email : name;
}
