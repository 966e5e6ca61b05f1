import { notFound } from '../../domain/core/app-error.ts';
import { type Membership, roleHasChanged } from '../../domain/orgs.ts';
import { deleteKeysOfOrg } from '../api-keys.ts';
import { deleteChatsOf } from '../chats/delete-chat.ts';
import type { Database } from '../core/database.ts';
import { type Transaction, withSystemTransaction } from '../core/transactions.ts';
import { removeDevices } from '../device-tokens.ts';
import { removeInvitesOfOrg } from '../invites/invites.ts';
import { deleteDocumentsOf } from '../knowledge-bases/documents.ts';
import { deleteMemberships } from '../orgs/memberships.ts';
import { deleteOrgRow, markOrgDeleted } from '../orgs/orgs.ts';
import { stopTurns } from '../turns/request-interrupt.ts';
import { deleteManagedUsers, leaveActiveOrg, lockMembers, releaseManagedUsers } from '../users/settle-user.ts';

/** The work that is still in flight for a deleted organization. */
export interface DeletedOrg {
  /**
   * Chats that may have a workflow: those whose open turns were asked to stop, and those where one has ended just now.
   */
  readonly chatIds: readonly string[];
  /** Open runs of workflows and schedules, which have a workflow. */
  readonly runIds: readonly string[];
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
  await lockMembers(transaction, orgId);
  const { rows: members } = await transaction.query<{ userId: string; role: string }>(
    'select user_id as "userId", role from memberships where org_id = $1 order by user_id for update',
    [orgId],
  );
  if (members.length === 0) throw notFound('Organization');
  if (!members.some((member) => member.userId === userId && member.role === 'owner')) {
    throw roleHasChanged();
  }
  await markOrgDeleted(transaction, orgId);
  await removeInvitesOfOrg(transaction, orgId);
  await removeDevices(transaction, { orgId });
  await deleteKeysOfOrg(transaction, orgId);
  await releaseManagedUsers(transaction, orgId);
  await deleteMemberships(transaction, orgId);
  await leaveActiveOrg(transaction, orgId);
  const turns = await stopTurns(transaction, { orgId });
  const { rows: lingering } = await transaction.query<{ chatId: string }>(
    `select distinct chat_id as "chatId" from turns where org_id = $1 and parent_turn_id is null
        and ended_at > now() - interval '2 minutes'`,
    [orgId],
  );
  const atWork = turns.filter(({ isSubAgent }) => !isSubAgent);
  const { rows: runs } = await transaction.query<{ id: string }>(
    "select id from workflow_runs where org_id = $1 and completed_at is null and status = 'running'",
    [orgId],
  );
  return {
    runIds: runs.map(({ id }) => id),
    chatIds: [...new Set([...atWork, ...lingering].map(({ chatId }) => chatId))],
  };
}

/** The number of chats that one statement removes, with their turns and messages. */
const BATCH = 50;
/** The number of documents of knowledge bases that one statement removes, with their passages. */
const DOCUMENTS = 5;

/** Returns organizations that were deleted a while ago and still have records or files, at most `limit`. */
export async function findDeletedOrgs({ system }: Database, limit: number): Promise<string[]> {
  const { rows } = await system.query<{ id: string }>(
    `select id from (
        select id, deleted_at as since from orgs where deleted_at is not null
        union all select id, purged_at from purged_orgs
      ) o where since < now() - interval '1 minute' order by since limit $1`,
    [limit],
  );
  return rows.map(({ id }) => id);
}

/**
 * Returns the organizations that were deleted together with a user's account and still have records, and all whose
 * records are gone but whose files may be left: nothing says any more whose those were.
 */
export async function findOrgsDeletedWith({ system }: Database, userId: string): Promise<string[]> {
  // A transaction has one time.
  const { rows } = await system.query<{ id: string }>(
    `select o.id from orgs o join users u on u.deleted_at = o.deleted_at where u.id = $1
      union all select id from purged_orgs`,
    [userId],
  );
  return rows.map(({ id }) => id);
}

/**
 * Removes every record of a deleted organization, including the accounts that it managed. Returns false, and does
 * nothing, when the organization was not deleted. Harmless to repeat; `goOn` is called between the batches.
 */
export async function purgeOrg({ system }: Database, orgId: string, goOn: () => void): Promise<boolean> {
  const { rows } = await system.query('select from orgs where id = $1 and deleted_at is null', [orgId]);
  if (rows.length > 0) return false;
  for (let removed = BATCH; removed > 0;) {
    goOn();
    removed = await deleteChatsOf(system, orgId, BATCH);
  }
  for (let removed = DOCUMENTS; removed > 0;) {
    goOn();
    removed = await deleteDocumentsOf(system, orgId, DOCUMENTS);
  }
  await deleteManagedUsers(system, orgId);
  await deleteOrgRow(system, orgId);
  return true;
}

/** Returns whether nothing is left of an organization: neither records nor files in workspaces. */
export async function isPurged({ system }: Pick<Database, 'system'>, orgId: string): Promise<boolean> {
  const { rows } = await system.query(
    'select from orgs where id = $1 union all select from purged_orgs where id = $1',
    [orgId],
  );
  return rows.length === 0;
}

/** Returns whether the organization has a record, deleted or not. */
export async function hasOrgRecord({ system }: Database, orgId: string): Promise<boolean> {
  const { rows } = await system.query('select from orgs where id = $1', [orgId]);
  return rows.length > 0;
}
