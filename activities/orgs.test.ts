import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Database } from '../db/core/database.ts';
import { findDeletedOrgs, purgeOrg } from '../db/membership-changes/delete-org.ts';
import { connectDatabase } from '../db/orm/connect.ts';
import { FileStores } from '../files/file-stores.ts';
import { ChatFixture } from '../test/support/chat-fixture.ts';
import { createTestDatabase, type TestDatabase } from '../test/support/test-database.ts';
import { createRemoveOrgFiles } from './orgs.ts';
import { LocalCopies } from './tools/workspace/travel/local-copies.ts';

let testDatabase: TestDatabase;
let database: Database;
let workspaceRoot: string;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await connectDatabase({ url: testDatabase.url, poolSize: 2 });
  workspaceRoot = mkdtempSync(join(tmpdir(), 'everturn-workspaces-'));
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
  rmSync(workspaceRoot, { recursive: true });
});

/** Requests the removal of an organization's files, and returns whether they exist afterwards. */
async function removeFiles(orgId: string) {
  const folder = join(workspaceRoot, orgId);
  mkdirSync(join(folder, 'chat'), { recursive: true });
  const copies = new LocalCopies({ root: workspaceRoot, database, files: await FileStores.open(database, undefined) });
  const copied = join(workspaceRoot, 'copies', 'a-worker', '1', orgId);
  mkdirSync(join(copied, 'chat'), { recursive: true });
  const isRemoved = await createRemoveOrgFiles({ database, workspaceRoot, copies })({ orgId });
  return { isRemoved, areThere: existsSync(folder) && existsSync(copied) };
}

describe('the files of an organization', () => {
  test.each(['null', 'now()'])('stay while it has a record, whoever asks: deleted_at is %s', async (deletedAt) => {
    const chat = await ChatFixture.create(database);
    const { orgId } = chat.ref;
    await database.system.query(`update orgs set deleted_at = ${deletedAt} where id = $1`, [orgId]);
    expect(await removeFiles(orgId)).toEqual({ isRemoved: false, areThere: true });
  });

  test('are removed when it has none any more', async () => {
    expect(await removeFiles(randomUUID())).toEqual({ isRemoved: true, areThere: false });
  });

  test('are still to be removed when the workflow that has removed its records is lost', async () => {
    const { orgId } = (await ChatFixture.create(database)).ref;
    await database.system.query("update orgs set deleted_at = now() - interval '1 hour' where id = $1", [orgId]);
    await purgeOrg(database, orgId, () => undefined);
    await database.system.query("update purged_orgs set purged_at = now() - interval '1 hour'");
    expect(await findDeletedOrgs(database, 10)).toContain(orgId);
    expect(await removeFiles(orgId)).toEqual({ isRemoved: true, areThere: false });
    expect(await findDeletedOrgs(database, 10)).not.toContain(orgId);
  });

  test.each(['..', '../..', '.', ''])('are not named by a path: "%s"', async (orgId) => {
    const copies = { removeOrg: async () => undefined };
    await expect(createRemoveOrgFiles({ database, workspaceRoot, copies })({ orgId })).rejects.toThrow(
      'identified by its id',
    );
  });
});
