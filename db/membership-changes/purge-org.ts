import { deleteChatsOf } from '../chats/index.ts';
import type { Database } from '../core/index.ts';
import { deleteDocumentsOf } from '../knowledge-bases/index.ts';
import { deleteOrgRow } from '../orgs/index.ts';
import { deleteManagedUsers } from '../users/index.ts';

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

/** Returns whether the organization has a record, deleted or not. */
export async function hasOrgRecord({ system }: Database, orgId: string): Promise<boolean> {
  const { rows } = await system.query('select from orgs where id = $1', [orgId]);
  return rows.length > 0;
}
