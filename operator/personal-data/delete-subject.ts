import { expirePrivateChats } from '../../db/chats/delete-chat.ts';
import type { Database } from '../../db/core/database.ts';
import { withSystemTransaction } from '../../db/core/transactions.ts';
import { deleteAccountIn } from '../../db/membership-changes/delete-account.ts';
import { deleteOrg, findOrgsDeletedWith, isPurged } from '../../db/membership-changes/delete-org.ts';
import { countWorkers } from '../../db/workers.ts';
import { noteInAuditLog, type Subject } from './subject.ts';

/** What a deletion has begun. */
export interface BegunDeletion {
  /** Organizations whose records a worker removes. */
  readonly orgIds: readonly string[];
  /** Chats that a worker removes within an hour. */
  readonly chats: number;
}

/**
 * Deletes a subject, as its owner or the user could: it cannot be reached from now on, and a worker removes the records
 * of organizations. Of one that is deleted already it returns what is left to be removed. `conflict` while a user owns
 * an organization with other members.
 */
export async function deleteSubject(
  database: Database,
  subject: Subject,
  { withChats }: { readonly withChats: boolean },
): Promise<BegunDeletion> {
  const { kind, id, isDeleted } = subject;
  if (kind === 'org') {
    if (!isDeleted) await deleteOrg(database, { orgId: id, userId: await ownerOf(database, id) });
    return { orgIds: [id], chats: 0 };
  }
  if (!isDeleted)
    await withSystemTransaction(database, async (transaction) => {
      const { leftOrgIds } = await deleteAccountIn(transaction, id);
      await noteInAuditLog(transaction, subject, { action: 'users.delete', orgIds: leftOrgIds });
    });
  return {
    orgIds: await findOrgsDeletedWith(database, id),
    chats: withChats ? await expirePrivateChats(database.system, id) : 0,
  };
}

async function ownerOf({ system }: Database, orgId: string): Promise<string> {
  const { rows } = await system.query<{ userId: string }>(
    `select user_id as "userId" from memberships where org_id = $1 and role = 'owner'`,
    [orgId],
  );
  const [owner] = rows;
  if (owner === undefined) throw new Error(`the organization ${orgId} has no owner`);
  return owner.userId;
}

/** How often it is asked whether the worker is done. */
const POLL_MS = 2_000;

/**
 * Waits until workers have removed everything of deleted organizations, which they begin a minute after the deletion.
 * Returns why it waits no longer when they have not.
 */
export async function waitForPurge(
  database: Database,
  orgIds: readonly string[],
  { pollMs = POLL_MS, signal }: { readonly pollMs?: number; readonly signal: AbortSignal },
): Promise<string | undefined> {
  for (const orgId of orgIds)
    while (!(await isPurged(database, orgId))) {
      if ((await countWorkers(database)) === 0) return 'no worker is running, which removes the records';
      if (signal.aborted) return 'a worker is still removing the records';
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  return undefined;
}
