import { notFound } from '../../domain/core/app-error.ts';
import type { Database } from '../core/database.ts';
import { withSystemTransaction } from '../core/with-system-transaction.ts';
import { setPassword } from '../passwords/index.ts';
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
