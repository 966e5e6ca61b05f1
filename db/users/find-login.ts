import type { Database } from '../core/database.ts';

/** What a sign-in compares with. `passwordHash` is null for an account without a password. */
export interface Login {
  readonly userId: string;
  readonly passwordHash: string | null;
}

/** The account of a lower-cased e-mail address, if there is one. */
export async function findLogin({ system }: Database, email: string): Promise<Login | undefined> {
  const { rows } = await system.query<Login>({
    name: 'find-login',
    text: 'select id as "userId", password_hash as "passwordHash" from users where email = $1',
    values: [email],
  });
  return rows[0];
}
