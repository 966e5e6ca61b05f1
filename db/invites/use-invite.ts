import { notFound } from '../../domain/core/app-error.ts';
import { afterCommit, type Transaction } from '../core/index.ts';
import { type InvitedRole, IS_OPEN } from './invite.ts';

/** The contents of a consumed invite. */
export interface UsedInvite {
  readonly orgId: string;
  readonly orgName: string;
  readonly role: InvitedRole;
  readonly email: string | null;
  readonly fullName: string;
}

/**
 * Consumes an invite, if the transaction commits. Of several at once the first gets it; the others wait, and get it
 * only if that one fails. `not_found` when it can no longer be used.
 */
export async function useInvite(transaction: Transaction, inviteId: string): Promise<UsedInvite> {
  const { rows } = await transaction.query<UsedInvite>(
    `update invites i set used_at = now(), updated_at = now() from orgs o
      where i.id = $1 and ${IS_OPEN} and o.id = i.org_id and o.deleted_at is null
      returning i.org_id as "orgId", o.name as "orgName", i.role, i.email, i.full_name as "fullName"`,
    [inviteId],
  );
  const [invite] = rows;
  if (invite === undefined) throw notFound('Invite');
  afterCommit(transaction, {
    changed: [{ orgId: invite.orgId, resource: 'invites', id: inviteId, action: 'deleted' }],
  });
  return invite;
}
