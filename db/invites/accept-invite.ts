import { AppError, notFound } from '../../domain/core/app-error.ts';
import { type Database, withSystemTransaction } from '../core/index.ts';
import { addMember } from '../orgs/index.ts';
import { settleUser } from '../users/index.ts';
import { useInvite } from './use-invite.ts';

/**
 * Makes a signed-in user a member of the inviting organization, and consumes the invite. Rejects an invite that is
 * bound to another address, and a user who is a member already; the invite then stays valid. Returns the organization's
 * id.
 */
export async function acceptInvite(database: Database, userId: string, inviteId: string): Promise<{ orgId: string }> {
  return withSystemTransaction(database, async (transaction) => {
    const invite = await useInvite(transaction, inviteId);
    // The organization that managed the account before does so no longer: its user has joined on their own.
    const email = await settleUser(transaction, { orgId: invite.orgId, userId });
    if (email === undefined) throw notFound('User');
    if (invite.email !== null && email !== invite.email) {
      throw new AppError('forbidden', 'This invite is for another e-mail address');
    }
    const isNew = await addMember(transaction, { orgId: invite.orgId, userId }, invite.role);
    if (!isNew) throw new AppError('conflict', 'You already are a member of this organization');
    return { orgId: invite.orgId };
  });
}
