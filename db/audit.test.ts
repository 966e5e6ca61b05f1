import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { type Postgres, startPostgres } from '../scripts/stack/postgres/start-postgres.ts';
import { freePort } from '../test/support/free-port.ts';
import type { Database } from './core/database.ts';
import { connectDatabase } from './orm/connect.ts';
import { migrate } from './orm/migrations.ts';
import { purgeOrg } from './membership-changes/delete-org.ts';
import { registerUser } from './membership-changes/change-members.ts';
import { listAuditEntries, recordAuditEntries } from './audit.ts';

// A server of its own: the service may be given a superuser or a plain user, and this tests both.
let folder: string;
let postgres: Postgres;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'everturn-audit-'));
  postgres = await startPostgres({ dataDir: join(folder, 'postgres'), port: await freePort(), log: () => undefined });
});
afterAll(async () => {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function makeEntry(database: Database): Promise<string> {
  const email = `${randomUUID()}@example.com`;
  const { userId } = await registerUser(database, { email, fullName: '', passwordHash: '', orgName: 'Own' });
  const entry = { id: randomUUID(), createdAt: new Date(), actorId: userId, orgId: undefined, sessionId: undefined };
  const record = {
    action: 'agents.create',
    recordType: 'agents',
    recordId: randomUUID(),
    relatedIds: [randomUUID()],
    fields: [],
  };
  const end = { outcome: 'success', status: 201, ip: '127.0.0.1', attempts: 1 } as const;
  await recordAuditEntries(database, [{ ...entry, ...record, ...end, apiKeyId: undefined, apiKeyPublicId: undefined }]);
  const { rows } = await database.system.query<{ orgId: string }>(
    'select org_id as "orgId" from audit_log where id = $1',
    [entry.id],
  );
  return rows[0]?.orgId ?? '';
}

describe.each([
  ['a role of its own', () => postgres.url, () => postgres.ownerUrl],
  ['the owner of the tables', () => postgres.ownerUrl, () => postgres.ownerUrl],
  ['a superuser', () => postgres.adminUrl, () => postgres.adminUrl],
])('the audit log of a service that connects as %s', (_who, url, ownerUrl) => {
  let database: Database;
  let orgId: string;
  beforeAll(async () => {
    await migrate(ownerUrl());
    database = await connectDatabase({ url: url(), poolSize: 2 });
    orgId = await makeEntry(database);
  });
  afterAll(async () => database.close());

  const count = async () => (await listAuditEntries(database, orgId, {}, { limit: 10 })).items.length;

  test.each([
    "update audit_log set action = 'nothing'",
    'update audit_log set org_id = org_id',
    'delete from audit_log',
    'delete from audit_log_records',
    'update audit_log_records set record_id = record_id',
    'truncate audit_log_records',
    'truncate audit_log, audit_log_records',
    'truncate orgs cascade',
    'delete from orgs',
    "insert into audit_log select * from audit_log on conflict (id) do update set action = 'nothing'",
  ])('refuses: %s', async (statement) => {
    await expect(database.system.query(statement)).rejects.toThrow(/only grows|in two steps|permission denied/);
    expect(await count()).toBe(1);
  });

  test('is kept while its organization is only marked as deleted, and goes with it', async () => {
    await database.system.query('update orgs set deleted_at = now() where id = $1', [orgId]);
    await expect(database.system.query('delete from audit_log')).rejects.toThrow(/only grows|permission denied/);
    expect(await count()).toBe(1);
    expect(await purgeOrg(database, orgId, () => undefined)).toBe(true);
    expect(await count()).toBe(0);
  });
});

test.each([
  'alter table audit_log disable trigger all',
  'drop trigger audit_log_only_grows on audit_log',
  'drop trigger orgs_are_marked_first on orgs',
  'drop table audit_log cascade',
  'drop schema public cascade',
  'alter table audit_log no force row level security',
  "create or replace function refuse_audit_change() returns trigger language plpgsql as 'begin return old; end'",
  'create rule quiet as on insert to audit_log do instead nothing',
  'set session_replication_role = replica',
  'set role everturn',
  'set role postgres',
])('a role of its own lets the service take nothing away that guards it: %s', async (statement) => {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  try {
    await expect(client.query(statement)).rejects.toThrow(/permission denied|must be owner/);
  } finally {
    await client.end();
  }
});
