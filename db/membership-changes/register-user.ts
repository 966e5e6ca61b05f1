import { v7 as uuidv7 } from 'uuid';
import { type Database, withSystemTransaction } from '../core/index.ts';
import { addMember, insertOrg } from '../orgs/index.ts';
import { insertPassword } from '../passwords/index.ts';
import { insertUser, requireNoAccount } from '../users/index.ts';

interface NewUser {
  /** Lower-cased, as all stored addresses are. */
  readonly email: string;
  readonly fullName: string;
  readonly passwordHash: string;
  readonly orgName: string;
  /** Whether it must be the first account of all. */
  readonly isFirst?: boolean;
}

/**
 * Creates a user and an organization that they own. Throws `conflict` when the address has an account, `forbidden` when
 * it must be the first one and is not.
 */
export async function registerUser(database: Database, input: NewUser): Promise<{ userId: string }> {
  const orgId = uuidv7();
  return withSystemTransaction(database, async (transaction) => {
    if (input.isFirst === true) await requireNoAccount(transaction);
    await insertOrg(transaction, orgId, { name: input.orgName, icon: '', color: '' });
    const userId = await insertUser(transaction, { ...input, orgId });
    await insertPassword(transaction, userId, input.passwordHash);
    await addMember(transaction, { orgId, userId }, 'owner');
    return { userId };
  });
}
