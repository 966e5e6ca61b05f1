import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { insertOrg, insertUser } from '../test/support/rows.ts';
import { serveTestDatabase } from '../test/support/serve-test-database.ts';
import { withOrgTransaction } from './core/transactions.ts';
import { deleteProviderChain, lockProviderChain } from './provider-chains.ts';

const database = serveTestDatabase({ poolSize: 2 });

async function versionOf(userId: string): Promise<string | undefined> {
  const { rows } = await database.system.query<{ version: string }>(
    'select policy_version as version from memberships where user_id = $1',
    [userId],
  );
  return rows[0]?.version;
}

test('deleting a chain changes the policies of the members on whom a group forces it, and no others', async () => {
  const orgId = await insertOrg(database);
  const [forced, free] = [await insertUser(database, [orgId]), await insertUser(database, [orgId])];
  const [id, groupId] = [randomUUID(), randomUUID()];
  const { system } = database;
  await system.query("insert into provider_chains (id, org_id, name, steps) values ($1, $2, 'c', '[]')", [id, orgId]);
  await system.query(
    `insert into permission_groups (id, org_id, name, permissions, limits, allowlists, default_chain_id)
      values ($1, $2, 'g', '[]', '{}', '{}', $3)`,
    [groupId, orgId, id],
  );
  await system.query('insert into permission_group_members (group_id, org_id, user_id) values ($1, $2, $3)', [
    groupId,
    orgId,
    forced,
  ]);
  const before = { forced: await versionOf(forced), free: await versionOf(free) };
  await withOrgTransaction(database, orgId, async (em) => {
    await deleteProviderChain(em, await lockProviderChain(em, { orgId, id }));
  });
  expect(await versionOf(forced)).not.toBe(before.forced);
  expect(await versionOf(free)).toBe(before.free);
});
