import { KNOWN_ADDRESS_DAYS } from '../../domain/auth.ts';
import { deleteSessionKeys } from '../api-keys/index.ts';
import type { Database, Transaction } from '../core/index.ts';
import { purgeRows } from '../records/index.ts';
import { endSessionsOf } from '../sessions.ts';

/** Stores the first password of a new account. */
export async function insertPassword(transaction: Transaction, userId: string, hash: string): Promise<void> {
  await transaction.query('insert into user_passwords (user_id, hash) values ($1, $2)', [userId, hash]);
}

/** Sets the password of a user, and ends whatever a new password ends. */
export async function setPassword(transaction: Transaction, userId: string, hash: string): Promise<void> {
  await transaction.query(
    `with forgotten as (delete from known_addresses where user_id = $1),
        links as (delete from password_links where user_id = $1)
        insert into user_passwords (user_id, hash) values ($1, $2)
        on conflict (user_id) do update set hash = excluded.hash, changed_at = now()`,
    [userId, hash],
  );
  // Runs after that: a session that was being opened with the old password exists by now, and no other is opened with
  // it.
  await endSessionsOf(transaction, userId);
  // Runs last: a key that was being made with one of the sessions exists by now.
  await deleteSessionKeys(transaction, userId);
}

/** Removes the password of a user, with the links and known addresses of the account. */
export async function removePassword(transaction: Transaction, userId: string): Promise<void> {
  await transaction.query(
    `with links as (delete from password_links where user_id = $1),
        addresses as (delete from known_addresses where user_id = $1)
        delete from user_passwords where user_id = $1`,
    [userId],
  );
}

/** Deletes expired password links, and addresses that an account was not used from for long. */
export async function purgePasswordData(database: Database): Promise<void> {
  await purgeRows(database, 'password_links', 'expires_at < now()');
  await purgeRows(database, 'known_addresses', `last_used_at < now() - interval '${KNOWN_ADDRESS_DAYS} days'`);
}
