import { AppError, notFound } from '../../domain/core/app-error.ts';
import { roleHasChanged } from '../../domain/orgs.ts';
import type { Role } from '../../domain/permissions/keys.ts';
import type { Database } from '../core/database.ts';
import { type Transaction, withSystemTransaction } from '../core/transactions.ts';
import { removePassword } from '../passwords.ts';
import { deletePrivateAccounts } from '../providers/provider-accounts.ts';
import { endSessionsOf } from '../sessions.ts';
import { eraseUser } from '../users/user.ts';
import { lockUser } from '../users/settle-user.ts';
import { type DeletedOrg, deleteOrgIn } from './delete-org.ts';
import { endMembership } from './change-members.ts';

/** An organization that was deleted because it had no other member. */
type DeletedOwnOrg = DeletedOrg & { readonly orgId: string };

/** What a deletion has ended apart from the account. */
interface DeletedAccount {
  readonly deletedOrgs: readonly DeletedOwnOrg[];
  /** The organizations of others that the user belonged to. */
  readonly leftOrgIds: readonly string[];
}

/**
 * Deletes an account at its user's wish: nobody can sign in to it, its credentials are invalid, its name and address
 * are erased, and so are provider accounts that served only this user. Organizations without other members are deleted.
 * Other records in organizations stay. `conflict` while the user owns an organization with other members.
 */
export async function deleteAccount(database: Database, userId: string): Promise<DeletedAccount> {
  return withSystemTransaction(database, async (transaction) => deleteAccountIn(transaction, userId));
}

/** Does what `deleteAccount` does, within a larger transaction. */
export async function deleteAccountIn(transaction: Transaction, userId: string): Promise<DeletedAccount> {
  if (!(await lockUser(transaction, userId))) throw notFound('User');
  const owned = await lockOwnedOrgs(transaction, userId);
  const shared = owned.filter(({ hasOthers }) => hasOthers).map(({ name }) => name);
  if (shared.length > 0) throw ownsShared(shared);
  // Only now, and before the memberships: rows that refer to all of them lock them in this order too.
  await transaction.query('select from users where id = $1 for update', [userId]);
  const deletedOrgs: DeletedOwnOrg[] = [];
  for (const { orgId } of owned) deletedOrgs.push({ orgId, ...(await deleteOrgIn(transaction, { orgId, userId })) });
  const leftOrgIds = await endMemberships(transaction, userId);
  await eraseAccount(transaction, userId);
  return { deletedOrgs, leftOrgIds };
}

interface OwnedOrg {
  readonly orgId: string;
  readonly name: string;
  readonly hasOthers: boolean;
}

// Locked first, which keeps others from joining; counted by a statement that begins after that.
async function lockOwnedOrgs(transaction: Transaction, userId: string): Promise<OwnedOrg[]> {
  const isOwned = "m.user_id = $1 and m.role = 'owner'";
  await transaction.query(
    `select from orgs where id in (select m.org_id from memberships m where ${isOwned}) order by id for update`,
    [userId],
  );
  const { rows } = await transaction.query<OwnedOrg>(
    `select o.id as "orgId", o.name,
        exists (select from memberships other where other.org_id = o.id and other.user_id <> $1) as "hasOthers"
      from memberships m join orgs o on o.id = m.org_id where ${isOwned} order by o.id`,
    [userId],
  );
  return rows;
}

function ownsShared(names: readonly string[]): AppError {
  return new AppError(
    'conflict',
    `You own organizations with other members: hand over or delete ${names.join(', ')} first`,
  );
}

async function endMemberships(transaction: Transaction, userId: string): Promise<string[]> {
  const { rows } = await transaction.query<{ orgId: string; role: Role }>(
    'select org_id as "orgId", role from memberships where user_id = $1 order by org_id for update',
    [userId],
  );
  // Handed over since their own organizations were read.
  if (rows.some(({ role }) => role === 'owner')) throw roleHasChanged();
  for (const { orgId } of rows) await endMembership(transaction, { orgId, userId });
  return rows.map(({ orgId }) => orgId);
}

async function eraseAccount(transaction: Transaction, userId: string): Promise<void> {
  await removePassword(transaction, userId);
  await endSessionsOf(transaction, userId);
  await eraseUser(transaction, userId);
  await deletePrivateAccounts(transaction, userId);
}
