import type { Database } from '../core/database.ts';
import { inSystem } from '../core/in-system.ts';

interface UserChanges {
  readonly fullName?: string | undefined;
  readonly passwordHash?: string | undefined;
}

/**
 * Changes the given fields. A new password ends every session of the user and the API keys that were made with any, and no
 * address that the account was used from is known any more.
 */
export async function updateUser(
  database: Database,
  userId: string,
  { fullName, passwordHash }: UserChanges,
): Promise<void> {
  await inSystem(database, async (transaction) => {
    await transaction.query('update users set full_name = coalesce($2, full_name), updated_at = now() where id = $1', [
      userId,
      fullName ?? null,
    ]);
    if (passwordHash === undefined) return;
    await transaction.query(
      `with ended as (update sessions set revoked_at = now() where user_id = $1 and revoked_at is null),
        forgotten as (delete from known_addresses where user_id = $1)
        insert into user_passwords (user_id, hash) values ($1, $2)
        on conflict (user_id) do update set hash = excluded.hash, changed_at = now()`,
      [userId, passwordHash],
    );
    // Only now: a key that was being made with one of the sessions is there by now.
    await transaction.query('delete from api_keys where user_id = $1 and session_id is not null', [userId]);
  });
}
