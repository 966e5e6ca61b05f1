import { AppError } from '../../domain/core/app-error.ts';
import { type Database, withSystemTransaction, type Transaction } from '../core/index.ts';
import { addMember } from '../orgs/index.ts';
import { createManagedAccount, freeAddress, lockAccount } from './managed-account.ts';
import { type UsedInvite, useInvite } from './use-invite.ts';

interface InvitedRegistration {
  readonly inviteId: string;
  /** Lower-cased, as all stored addresses are. */
  readonly email: string;
  /** Empty for the name in the invite. */
  readonly fullName: string;
  readonly passwordHash: string;
}

/**
 * Creates an account that the inviting organization manages, makes it a member and consumes the invite; all of it or
 * nothing. Rejects an address that the invite is not for, and one that has an account.
 */
export async function registerInvited(database: Database, input: InvitedRegistration): Promise<{ userId: string }> {
  return withSystemTransaction(database, async (transaction) => {
    const invite = await useInvite(transaction, input.inviteId);
    if (invite.email !== null && invite.email !== input.email) {
      throw new AppError('forbidden', 'This invite is for another e-mail address');
    }
    const userId = await makeAccount(transaction, invite, input);
    if (userId === undefined) throw accountExists();
    await addMember(transaction, { orgId: invite.orgId, userId }, invite.role);
    return { userId };
  });
}

async function makeAccount(transaction: Transaction, invite: UsedInvite, input: InvitedRegistration) {
  const fullName = input.fullName === '' ? invite.fullName : input.fullName;
  const fields = { fullName, passwordHash: input.passwordHash, orgId: invite.orgId };
  const account = await lockAccount(transaction, { email: input.email, orgId: invite.orgId });
  if (account?.isAbandoned === false) throw accountExists();
  if (account !== undefined) await freeAddress(transaction, account.id);
  return createManagedAccount(transaction, { email: input.email, ...fields });
}

function accountExists(): AppError {
  return new AppError('conflict', 'An account with this e-mail address already exists; sign in and accept the invite');
}
