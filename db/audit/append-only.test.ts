import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { type Postgres, startPostgres } from '../../scripts/stack/start-postgres.ts';
import { freePort } from '../../test/support/free-port.ts';
import { withDatabase } from '../../test/support/shared-services.ts';
import { connectDatabase, type Database } from '../core/index.ts';
import { migrate } from '../orm/migrations.ts';
import { purgeOrg } from '../orgs/index.ts';
import { registerUser } from '../users/index.ts';
import { listAuditEntries, recordAuditEntries } from './index.ts';

// A server of its own: one of the two kinds of users that the service may be given is a superuser.
let folder: string;
let postgres: Postgres;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'everturn-audit-'));
  postgres = await startPostgres({ dataDir: join(folder, 'postgres'), port: await freePort(), log: () => undefined });
}, 60_000);
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

// What docs/audit-log.md tells a careful operator to do.
async function takeAway(): Promise<void> {
  const superuser = new pg.Client({ connectionString: withDatabase(postgres.adminUrl, 'everturn') });
  await superuser.connect();
  await superuser.query(`alter table audit_log owner to postgres;
    alter table audit_log_records owner to postgres;
    alter function refuse_audit_change() owner to postgres;
    grant select, insert on audit_log, audit_log_records to everturn;`);
  await superuser.end();
}

describe.each([
  ['the owner of the tables', () => postgres.url, async () => undefined],
  ['a superuser', () => postgres.adminUrl, async () => undefined],
  ['the owner of all tables but this one', () => postgres.url, takeAway],
])('the audit log of a service that connects as %s', (_who, url, arrange) => {
  let database: Database;
  let orgId: string;
  beforeAll(async () => {
    await migrate(url());
    await arrange();
    database = await connectDatabase({ url: url(), poolSize: 2 });
    orgId = await makeEntry(database);
  }, 60_000);
  afterAll(async () => database.close());

  const count = async () => (await listAuditEntries(database, orgId, {}, { limit: 10, offset: 0 })).entries.length;

  test.each([
    "update audit_log set action = 'nothing'",
    'update audit_log set org_id = org_id',
    'delete from audit_log',
    'delete from audit_log_records',
    'update audit_log_records set record_id = record_id',
    'truncate audit_log_records',
    'truncate audit_log, audit_log_records',
    'truncate orgs cascade',
    "insert into audit_log select * from audit_log on conflict (id) do update set action = 'nothing'",
  ])('refuses: %s', async (statement) => {
    await expect(database.system.query(statement)).rejects.toThrow(/only grows|permission denied/);
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
