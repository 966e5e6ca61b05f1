import { v7 as uuidv7 } from 'uuid';
import { type Database, withSystemTransaction } from '../core/index.ts';
import { addMember, insertOrg } from '../orgs/index.ts';
import { insertPassword } from '../passwords/index.ts';
import { insertUser } from '../users/index.ts';

interface NewUser {
  /** Lower-cased, as all stored addresses are. */
  readonly email: string;
  readonly fullName: string;
  readonly passwordHash: string;
  readonly orgName: string;
}

/** Creates a user and an organization that they own. Rejects an address that has an account. */
export async function registerUser(database: Database, input: NewUser): Promise<{ userId: string }> {
  const orgId = uuidv7();
  return withSystemTransaction(database, async (transaction) => {
    await insertOrg(transaction, orgId, { name: input.orgName, icon: '', color: '' });
    const userId = await insertUser(transaction, { ...input, orgId });
    await insertPassword(transaction, userId, input.passwordHash);
    await addMember(transaction, { orgId, userId }, 'owner');
    return { userId };
  });
}
