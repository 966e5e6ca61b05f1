import { AppError, notFound } from '../../domain/core/app-error.ts';
import { type Membership, roleHasChanged } from '../../domain/orgs.ts';
import { type Database, withSystemTransaction, type Transaction } from '../core/index.ts';
import { setPassword } from './set-password.ts';

/** A link, found by the public part of its token; the caller compares the secret. */
export interface FoundPasswordLink extends Membership {
  readonly secretHash: Buffer;
}

interface NewPasswordLink extends Membership {
  readonly createdBy: string;
  readonly publicId: string;
  readonly secretHash: Buffer;
  readonly lifetimeSeconds: number;
}

/**
 * Makes a link for an account that the organization manages, in place of an earlier one; returns its expiry. `conflict`
 * for any other account, since the link's maker could sign in to it, and for a maker who has just lost the right to
 * make it.
 */
export async function makePasswordLink(database: Database, link: NewPasswordLink): Promise<Date> {
  return withSystemTransaction(database, async (transaction) => {
    await lockMaker(transaction, link);
    if (!(await isManagedBy(transaction, link)))
      throw new AppError('conflict', 'The organization does not manage this account; its user signs in by themselves');
    const { rows } = await transaction.query<{ expiresAt: Date }>(
      `insert into password_links (user_id, org_id, created_by, public_id, secret_hash, expires_at)
        values ($1, $2, $3, $4, $5, now() + $6 * interval '1 second')
        on conflict (user_id) do update set org_id = excluded.org_id, created_by = excluded.created_by,
          public_id = excluded.public_id, secret_hash = excluded.secret_hash, expires_at = excluded.expires_at, created_at = now()
        returning expires_at as "expiresAt"`,
      [link.userId, link.orgId, link.createdBy, link.publicId, link.secretHash, link.lifetimeSeconds],
    );
    return rows[0]?.expiresAt ?? new Date();
  });
}

/** Returns the unexpired link with this public part. */
export async function findPasswordLink({ system }: Database, publicId: string): Promise<FoundPasswordLink | undefined> {
  const { rows } = await system.query<FoundPasswordLink>({
    name: 'find-password-link',
    text: `select user_id as "userId", org_id as "orgId", secret_hash as "secretHash" from password_links
      where public_id = $1 and expires_at > now()`,
    values: [publicId],
  });
  return rows[0];
}

/**
 * Consumes a link and sets the password of its account; every session of the user ends. `not_found` when it was used or
 * replaced meanwhile, or the organization no longer manages the account.
 */
export async function usePasswordLink(
  database: Database,
  { userId, orgId, secretHash }: FoundPasswordLink,
  passwordHash: string,
): Promise<void> {
  await withSystemTransaction(database, async (transaction) => {
    const { rowCount } = await transaction.query(
      'delete from password_links where user_id = $1 and secret_hash = $2 and expires_at > now()',
      [userId, secretHash],
    );
    if (rowCount !== 1 || !(await isManagedBy(transaction, { userId, orgId }))) throw notFound('Link');
    await setPassword(transaction, userId, passwordHash);
  });
}

// Locked, so that no link is made while its maker is being removed; both memberships in the order of their ids, as in
// every change of them.
async function lockMaker(transaction: Transaction, { userId, orgId, createdBy }: NewPasswordLink): Promise<void> {
  const { rows } = await transaction.query<{ userId: string; isHigh: boolean }>(
    `select user_id as "userId", role in ('admin', 'owner') as "isHigh" from memberships
      where org_id = $1 and user_id = any($2::uuid[]) order by user_id for share`,
    [orgId, [userId, createdBy]],
  );
  if (rows.some((row) => row.userId === createdBy && row.isHigh)) return;
  throw roleHasChanged();
}

// A member or viewer of this organization and of no other. Locked, so that nobody is promoted meanwhile.
async function isManagedBy(transaction: Transaction, { userId, orgId }: Membership): Promise<boolean> {
  const { rows: accounts } = await transaction.query(
    'select from users where id = $1 and is_managed and managed_org_id = $2 for update',
    [userId, orgId],
  );
  const { rows: memberships } = await transaction.query<{ orgId: string; isHigh: boolean }>(
    `select org_id as "orgId", role in ('admin', 'owner') as "isHigh" from memberships where user_id = $1 for share`,
    [userId],
  );
  const [first, ...others] = memberships;
  return accounts.length === 1 && first?.orgId === orgId && !first.isHigh && others.length === 0;
}

/** Removes the links of an organization that a user has made, and with `alsoFor` those for their account. */
export async function removePasswordLinks(
  transaction: Transaction,
  { orgId, userId }: Membership,
  { alsoFor = false }: { readonly alsoFor?: boolean } = {},
): Promise<void> {
  await transaction.query(
    'delete from password_links where org_id = $1 and (created_by = $2 or ($3 and user_id = $2))',
    [orgId, userId, alsoFor],
  );
}
