import { v7 as uuidv7 } from 'uuid';
import type { Transaction } from '../core/index.ts';

/** An account as far as it decides who may be given its credentials. */
export interface AccountState {
  readonly id: string;
  /** Managed, with nobody who could sign in to it and nothing that it could reach: as good as new. */
  readonly isAbandoned: boolean;
  /** A plain member's account that this organization manages, and that reaches no other. */
  readonly isManagedHere: boolean;
}

/** The account of an address, locked until the transaction ends. */
export async function lockAccount(
  transaction: Transaction,
  { email, orgId }: { email: string; orgId: string },
): Promise<AccountState | undefined> {
  const { rows } = await transaction.query<Omit<AccountState, 'isAbandoned' | 'isManagedHere'> & AccountRow>(
    `select id, is_managed and password_hash is null as "isPasswordless", managed_org_id = $2 as "isOurs"
      from users where email = $1 for update`,
    [email, orgId],
  );
  const [account] = rows;
  if (account === undefined) return undefined;
  // Read only now: what another transaction has changed while this one waited is seen.
  const { rows: memberships } = await transaction.query<{ orgId: string; isHigh: boolean }>(
    `select org_id as "orgId", role in ('admin', 'owner') as "isHigh" from memberships where user_id = $1 for share`,
    [account.id],
  );
  const isPlainHere = memberships.every((membership) => membership.orgId === orgId && !membership.isHigh);
  return {
    id: account.id,
    isAbandoned: account.isPasswordless && memberships.length === 0,
    isManagedHere: account.isOurs === true && isPlainHere,
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

/** Makes an account that the organization manages; answers undefined when its address has just been taken. */
export async function createManagedAccount(
  transaction: Transaction,
  { email, fullName, passwordHash, orgId }: ManagedAccount,
): Promise<string | undefined> {
  const { rows } = await transaction.query<{ id: string }>(
    `insert into users (id, email, full_name, password_hash, is_managed, managed_org_id, active_org_id)
      values ($1, $2, $3, $4, true, $5, $5) on conflict (email) do nothing returning id`,
    [uuidv7(), email, fullName, passwordHash, orgId],
  );
  return rows[0]?.id;
}

/** Puts an abandoned account under the organization's management. Nothing that was good for it before is good any more. */
export async function takeOverAccount(
  transaction: Transaction,
  userId: string,
  { fullName, passwordHash, orgId }: Omit<ManagedAccount, 'email'>,
): Promise<void> {
  await transaction.query('update sessions set revoked_at = now() where user_id = $1 and revoked_at is null', [userId]);
  await transaction.query(
    `update users set is_managed = true, managed_org_id = $2, active_org_id = $2, password_hash = $3,
      full_name = case when $4 = '' then full_name else $4 end, updated_at = now() where id = $1`,
    [userId, orgId, passwordHash, fullName],
  );
}
