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
    text: `select u.id as "userId", p.hash as "passwordHash"
      from users u left join user_passwords p on p.user_id = u.id where u.email = $1`,
    values: [email],
  });
  return rows[0];
}
