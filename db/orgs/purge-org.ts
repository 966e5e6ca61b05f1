import type { Database } from '../core/index.ts';

/** The number of chats that one statement removes, with their turns and messages. */
const BATCH = 50;

/** Returns organizations that were deleted a while ago and still have records, at most `limit`. */
export async function findDeletedOrgs({ system }: Database, limit: number): Promise<string[]> {
  const { rows } = await system.query<{ id: string }>(
    "select id from orgs where deleted_at < now() - interval '1 minute' order by deleted_at limit $1",
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
    const result = await system.query(
      `delete from chats where id in (select id from chats where org_id = $1 limit ${BATCH})`,
      [orgId],
    );
    removed = result.rowCount ?? 0;
  }
  await system.query(
    `delete from users where managed_org_id = $1 and is_managed
      and not exists (select from memberships where memberships.user_id = users.id)`,
    [orgId],
  );
  await system.query('delete from orgs where id = $1', [orgId]);
  return true;
}

/** Returns whether the organization has a record, deleted or not. */
export async function hasOrgRecord({ system }: Database, orgId: string): Promise<boolean> {
  const { rows } = await system.query('select from orgs where id = $1', [orgId]);
  return rows.length > 0;
}
