import { v7 as uuidv7 } from 'uuid';
import type { Transaction } from '../core/index.ts';
import { rejectTakenAddress } from './taken-address.ts';

interface NewUser {
  /** Lower-cased, as all stored addresses are. */
  readonly email: string;
  readonly fullName: string;
  /** Their active organization. */
  readonly orgId: string;
}

/** Stores a user, and returns their id; `conflict` when the address has an account. */
export async function insertUser(transaction: Transaction, { email, fullName, orgId }: NewUser): Promise<string> {
  const id = uuidv7();
  await transaction
    .query('insert into users (id, email, full_name, active_org_id) values ($1, $2, $3, $4)', [
      id,
      email,
      fullName,
      orgId,
    ])
    .catch(rejectTakenAddress);
  return id;
}

/** Stores a user whose account the organization manages; returns undefined when the address has just been taken. */
export async function insertManagedUser(
  transaction: Transaction,
  { email, fullName, orgId }: NewUser,
): Promise<string | undefined> {
  const { rows } = await transaction.query<{ id: string }>(
    `insert into users (id, email, full_name, is_managed, managed_org_id, active_org_id)
      values ($1, $2, $3, true, $4, $4) on conflict (email) do nothing returning id`,
    [uuidv7(), email, fullName, orgId],
  );
  return rows[0]?.id;
}

// A domain that cannot exist (RFC 2606), and a random name, which nobody can have taken before.
const NO_ADDRESS = "gen_random_uuid() || '@removed.invalid'";

/** Frees the address of an account. The account and its records stay as they are. */
export async function removeAddress(transaction: Transaction, userId: string): Promise<void> {
  await transaction.query(`update users set email = ${NO_ADDRESS}, updated_at = now() where id = $1`, [userId]);
}

/** Marks an account as deleted, and erases name and address. */
export async function eraseUser(transaction: Transaction, userId: string): Promise<void> {
  await transaction.query(
    `update users set email = ${NO_ADDRESS}, full_name = '', active_org_id = null, updated_at = now(),
      deleted_at = now() where id = $1`,
    [userId],
  );
}
