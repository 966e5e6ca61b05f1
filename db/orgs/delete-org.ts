import { notFound } from '../../domain/core/app-error.ts';
import { roleHasChanged } from '../../domain/orgs/index.ts';
import { afterCommit, type Database, withSystemTransaction, type Transaction } from '../core/index.ts';
import type { Membership } from './orgs.ts';

/** The work that is still in flight for a deleted organization. */
export interface DeletedOrg {
  /**
   * Chats that may have a workflow: those whose open turns were asked to stop, and those where one has ended just now.
   */
  readonly chatIds: readonly string[];
}

/**
 * Deletes the organization: it has no members and no valid credentials from now on, so nothing of it can be reached.
 * `purgeOrg` removes its records and files afterwards. Only its owner may do this.
 */
export async function deleteOrg(database: Database, membership: Membership): Promise<DeletedOrg> {
  return withSystemTransaction(database, async (transaction) => deleteOrgIn(transaction, membership));
}

/** Does what `deleteOrg` does, within a larger transaction. */
export async function deleteOrgIn(transaction: Transaction, { orgId, userId }: Membership): Promise<DeletedOrg> {
  const { rows: members } = await transaction.query<{ userId: string; role: string }>(
    'select user_id as "userId", role from memberships where org_id = $1 order by user_id for update',
    [orgId],
  );
  if (members.length === 0) throw notFound('Organization');
  if (!members.some((member) => member.userId === userId && member.role === 'owner')) {
    throw roleHasChanged();
  }
  await transaction.query('update orgs set deleted_at = now(), updated_at = now() where id = $1', [orgId]);
  await endCredentials(transaction, orgId);
  await releaseMembers(transaction, orgId);
  const { rows: turns } = await transaction.query<{ id: string; chatId: string; isSubAgent: boolean }>(
    `update turns set interrupt_requested_at = coalesce(interrupt_requested_at, now()), next_wake_at = now()
        where org_id = $1 and status in ('queued', 'running')
        returning id, chat_id as "chatId", parent_turn_id is not null as "isSubAgent"`,
    [orgId],
  );
  const { rows: lingering } = await transaction.query<{ chatId: string }>(
    `select distinct chat_id as "chatId" from turns where org_id = $1 and parent_turn_id is null
        and ended_at > now() - interval '2 minutes'`,
    [orgId],
  );
  const atWork = turns.filter(({ isSubAgent }) => !isSubAgent);
  afterCommit(transaction, {
    accessOf: members.map((member) => member.userId),
    stoppedTurns: turns.map(({ id }) => id),
  });
  return { chatIds: [...new Set([...atWork, ...lingering].map(({ chatId }) => chatId))] };
}

async function endCredentials(transaction: Transaction, orgId: string): Promise<void> {
  await transaction.query(
    `with devices as (delete from device_tokens where org_id = $1 returning session_id),
      invited as (delete from invites where org_id = $1),
      keys as (delete from api_keys where org_id = $1)
      update sessions set revoked_at = now() from devices where sessions.id = devices.session_id and revoked_at is null`,
    [orgId],
  );
}

// Its managed accounts are removed with its records; those of its administrators, and of members of other
// organizations, stay.
async function releaseMembers(transaction: Transaction, orgId: string): Promise<void> {
  await transaction.query(
    `update users set is_managed = false, managed_org_id = null from memberships m
      where m.org_id = $1 and m.user_id = users.id and users.managed_org_id = $1 and (m.role in ('admin', 'owner')
        or exists (select from memberships other where other.user_id = users.id and other.org_id <> $1))`,
    [orgId],
  );
  await transaction.query('delete from memberships where org_id = $1', [orgId]);
  await transaction.query(
    `update users set updated_at = now(), active_org_id = (
        select org_id from memberships where user_id = users.id order by created_at, org_id limit 1
      ) where active_org_id = $1`,
    [orgId],
  );
}
