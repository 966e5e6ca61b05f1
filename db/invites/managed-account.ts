import type { Transaction } from '../core/index.ts';
import { insertPassword } from '../passwords/index.ts';
import { endSessionsOf } from '../sessions/index.ts';
import { insertManagedUser, IS_PASSWORDLESS, removeAddress } from '../users/index.ts';

/** The facts that decide whether an invite may give credentials for an account. */
export interface InvitedAccount {
  readonly id: string;
  /** Whether nobody can sign in to it and it belongs to no organization. */
  readonly isAbandoned: boolean;
  /** A plain member's account without a password, managed by this organization and in no other. */
  readonly isManagedHere: boolean;
}

/** Returns the account of an address, locked until the transaction ends. */
export async function lockAccount(
  transaction: Transaction,
  { email, orgId }: { email: string; orgId: string },
): Promise<InvitedAccount | undefined> {
  const { rows } = await transaction.query<Omit<InvitedAccount, 'isAbandoned' | 'isManagedHere'> & AccountRow>(
    `select id, ${IS_PASSWORDLESS} as "isPasswordless", managed_org_id = $2 as "isOurs"
      from users u where email = $1 for update`,
    [email, orgId],
  );
  const [account] = rows;
  if (account === undefined) return undefined;
  // Read only now, so that changes of a transaction that this one waited for are seen.
  const { rows: memberships } = await transaction.query<{ orgId: string; isHigh: boolean }>(
    `select org_id as "orgId", role in ('admin', 'owner') as "isHigh" from memberships where user_id = $1 for share`,
    [account.id],
  );
  const [first, ...others] = memberships;
  const isPlainHere = first?.orgId === orgId && !first.isHigh && others.length === 0;
  return {
    id: account.id,
    isAbandoned: account.isPasswordless && memberships.length === 0,
    isManagedHere: account.isOurs === true && account.isPasswordless && isPlainHere,
  };
}

interface AccountRow {
  readonly isPasswordless: boolean;
  readonly isOurs: boolean | null;
}

interface ManagedAccount {
  readonly email: string;
  readonly fullName: string;
  /** Null for an account whose user signs in by device only. */
  readonly passwordHash: string | null;
  readonly orgId: string;
}

/** Creates an account that the organization manages; returns undefined when its address has just been taken. */
export async function createManagedAccount(
  transaction: Transaction,
  { email, fullName, passwordHash, orgId }: ManagedAccount,
): Promise<string | undefined> {
  const userId = await insertManagedUser(transaction, { email, fullName, orgId });
  if (userId !== undefined && passwordHash !== null) await insertPassword(transaction, userId, passwordHash);
  return userId;
}

/**
 * Frees the address of an abandoned account. The account and its records stay as they are: the next owner of the
 * address may be somebody else.
 */
export async function freeAddress(transaction: Transaction, userId: string): Promise<void> {
  await endSessionsOf(transaction, userId);
  await removeAddress(transaction, userId);
}
