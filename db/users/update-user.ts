import { afterCommit } from '../core/index.ts';
import { notFound } from '../../domain/core/app-error.ts';
import type { Database } from '../core/database.ts';
import { withSystemTransaction, type Transaction } from '../core/with-system-transaction.ts';
import { rejectTakenAddress } from './taken-address.ts';

interface UserChanges {
  readonly fullName?: string | undefined;
  readonly email?: string | undefined;
  readonly passwordHash?: string | undefined;
}

/**
 * Changes the given fields; `conflict` when another account has the address, `not_found` when this one has been
 * deleted. A new password ends every session of the user and the API keys that were made with any; password links and
 * known addresses are removed.
 */
export async function updateUser(
  database: Database,
  userId: string,
  { fullName, email, passwordHash }: UserChanges,
): Promise<void> {
  await withSystemTransaction(database, async (transaction) => {
    const { rowCount } = await transaction
      .query(
        `update users set full_name = coalesce($2, full_name), email = coalesce($3, email), updated_at = now()
          where id = $1 and deleted_at is null`,
        [userId, fullName ?? null, email ?? null],
      )
      .catch(rejectTakenAddress);
    if (rowCount === 0) throw notFound('User');
    if (passwordHash === undefined) return;
    await setPassword(transaction, userId, passwordHash);
  });
}

/** Sets the password of a user, and ends whatever a new password ends. */
export async function setPassword(transaction: Transaction, userId: string, passwordHash: string): Promise<void> {
  await transaction.query(
    `with forgotten as (delete from known_addresses where user_id = $1),
        links as (delete from password_links where user_id = $1)
        insert into user_passwords (user_id, hash) values ($1, $2)
        on conflict (user_id) do update set hash = excluded.hash, changed_at = now()`,
    [userId, passwordHash],
  );
  // Runs last: a session that was being opened with the old password exists by now, and no other is opened with it.
  await transaction.query('update sessions set revoked_at = now() where user_id = $1 and revoked_at is null', [userId]);
  // Runs last: a key that was being made with one of the sessions exists by now.
  await transaction.query('delete from api_keys where user_id = $1 and session_id is not null', [userId]);
  afterCommit(transaction, { accessOf: [userId] });
}
