import { afterCommit, type Transaction } from '../core/index.ts';

interface Holder {
  readonly userId: string;
}

/** Deletes all keys of an organization. */
export async function deleteKeysOfOrg(transaction: Transaction, orgId: string): Promise<void> {
  const { rows } = await transaction.query<Holder>(
    'delete from api_keys where org_id = $1 returning user_id as "userId"',
    [orgId],
  );
  afterCommit(transaction, { accessOf: rows.map(({ userId }) => userId) });
}

/** Deletes the keys of a user to an organization. */
export async function deleteKeysOfUser(transaction: Transaction, userId: string, orgId: string): Promise<void> {
  await transaction.query('delete from api_keys where user_id = $1 and org_id = $2', [userId, orgId]);
  afterCommit(transaction, { accessOf: [userId] });
}

/**
 * Deletes the keys of a user that were made with a session. Runs after their sessions have ended: no other key is made
 * then.
 */
export async function deleteSessionKeys(transaction: Transaction, userId: string): Promise<void> {
  await transaction.query('delete from api_keys where user_id = $1 and session_id is not null', [userId]);
  afterCommit(transaction, { accessOf: [userId] });
}

/**
 * Deletes the keys that were made with sessions, and the one that a device of theirs was given. Runs after the sessions
 * have ended, in a statement of its own: a key that was being made meanwhile exists by now.
 */
export async function deleteKeysOfSessions(
  transaction: Transaction,
  sessionIds: readonly string[],
  deviceKeyId: string | null = null,
): Promise<void> {
  const { rows } = await transaction.query<Holder>(
    'delete from api_keys where session_id = any($1::uuid[]) or id = $2 returning user_id as "userId"',
    [sessionIds, deviceKeyId],
  );
  afterCommit(transaction, { accessOf: rows.map(({ userId }) => userId) });
}
