import type { Database } from '../core/database.ts';

/** Returns whether anybody has an account. */
export async function hasUsers({ system }: Database): Promise<boolean> {
  const { rows } = await system.query<{ found: boolean }>({
    name: 'has-users',
    text: 'select exists (select from users) as found',
  });
  return rows[0]?.found === true;
}
