import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { sharedServices, withDatabase } from '../../test/support/shared-services.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-database.ts';
import { migrate } from '../orm/migrations.ts';

let database: TestDatabase;
let ownerUrl: string;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  ownerUrl = withDatabase(sharedServices().postgresOwnerUrl, new URL(database.url).pathname.slice(1));
  client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  await client.query("set app.scope = 'system'");
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

/** Reverts the schema changes of the migration of accounts and chains, as if it had never run. */
const UNDO = `
  alter table provider_accounts drop column shared,
    alter column user_id set not null,
    drop constraint provider_accounts_user_id_fkey,
    add constraint provider_accounts_user_id_fkey foreign key (user_id) references users (id) on delete cascade;
  alter table provider_chains drop column owner_id;
  delete from schema_migrations where name = 'migration-20261121-shared-accounts';
`;

test('in a database that exists, what administrators set up goes on serving everybody', async () => {
  await client.query(UNDO);
  const orgId = randomUUID();
  await client.query("insert into orgs (id, name) values ($1, 'Acme')", [orgId]);
  for (const role of ['owner', 'admin', 'member', 'viewer', 'gone']) {
    const userId = randomUUID();
    await client.query('insert into users (id, email) values ($1, $2)', [userId, `${userId}@example.com`]);
    const membership = 'insert into memberships (org_id, user_id, role) values ($1, $2, $3)';
    if (role !== 'gone') await client.query(membership, [orgId, userId, role]);
    await client.query(
      `insert into provider_accounts (id, org_id, user_id, provider_type, name, auth_type, cooldown_seconds)
        values ($1, $2, $3, 'openai', $4, 'apikey', 60)`,
      [randomUUID(), orgId, userId, role],
    );
  }
  await client.query(
    "insert into provider_chains (id, org_id, name, steps) values (gen_random_uuid(), $1, 'Main', '[]')",
    [orgId],
  );

  await migrate(ownerUrl);

  const accounts = await client.query<{ name: string; shared: boolean }>('select name, shared from provider_accounts');
  expect(Object.fromEntries(accounts.rows.map(({ name, shared }) => [name, shared]))).toEqual({
    owner: true,
    admin: true,
    member: false,
    viewer: false,
    gone: false,
  });
  expect((await client.query('select owner_id from provider_chains')).rows).toEqual([{ owner_id: null }]);
});

test('in a database that exists, agents lose what of their MCP servers could name programs or hold secrets', async () => {
  await client.query("delete from schema_migrations where name = 'migration-20261121-attached-servers'");
  const orgId = randomUUID();
  await client.query("insert into orgs (id, name) values ($1, 'Acme')", [orgId]);
  const mcps = [
    {
      name: 'docs',
      url: 'https://mcp.example.com',
      auth_type: 'bearer',
      auth_value: 'secret',
      config: { a: 'secret' },
    },
    { command: 'sh', args: ['-c', 'id'], env: { TOKEN: 'secret' } },
    { name: 'signed', url: 'https://user:secret@mcp.example.com' },
    { url: ['sh'] },
  ];
  for (const [name, servers] of [
    ['with', mcps],
    ['without', []],
  ] as const) {
    await client.query(
      `insert into agents (id, org_id, name, agent_type, mcps, temperature, max_tokens, max_subagents, max_concurrency)
        values (gen_random_uuid(), $1, $2, 'custom', $3, 0, 1, 0, 1)`,
      [orgId, name, JSON.stringify(servers)],
    );
  }

  await migrate(ownerUrl);

  expect((await client.query('select name, mcps from agents order by name')).rows).toEqual([
    {
      name: 'with',
      mcps: [{ name: 'docs', url: 'https://mcp.example.com', auth_type: 'bearer' }, {}, { name: 'signed' }, {}],
    },
    { name: 'without', mcps: [] },
  ]);
});

test('in a database that exists, passwords stay good, and nobody reads them who works for an organization', async () => {
  const [userId, other] = [randomUUID(), randomUUID()];
  await client.query(`
    drop table user_passwords;
    alter table users add column password_hash text;
    drop policy system on sessions;
    drop policy tenant on orgs;
    delete from schema_migrations where name = 'migration-20261121-passwords-apart';
  `);
  const user = 'insert into users (id, email, password_hash) values ($1, $2, $3)';
  await client.query(user, [userId, `${userId}@example.com`, 'the hash']);
  await client.query(user, [other, `${other}@example.com`, null]);

  await migrate(ownerUrl);

  const stored = 'select user_id, hash from user_passwords where user_id in ($1, $2)';
  expect((await client.query(stored, [userId, other])).rows).toEqual([{ user_id: userId, hash: 'the hash' }]);
  await client.query("select set_config('app.scope', '', false)");
  expect((await client.query(stored, [userId, other])).rows).toEqual([]);
  await client.query("select set_config('app.scope', 'system', false)");
});

test('in a database that exists, keys stay good, and those of devices are known for such', async () => {
  const [orgId, userId, sessionId, ofDevice, another] = Array.from({ length: 5 }, () => randomUUID());
  await client.query(`
    alter table api_keys drop column hint, drop column made_by, drop column session_id, drop column expires_at;
    drop index api_keys_org;
    delete from schema_migrations where name = 'migration-20261121-origin-of-keys';
  `);
  await client.query("insert into orgs (id, name) values ($1, 'Acme')", [orgId]);
  await client.query('insert into users (id, email) values ($1, $2)', [userId, `${userId}@example.com`]);
  await client.query("insert into memberships (org_id, user_id, role) values ($1, $2, 'member')", [orgId, userId]);
  await client.query("insert into sessions (id, user_id, bound_org_id, expires_at) values ($1, $2, $3, 'infinity')", [
    sessionId,
    userId,
    orgId,
  ]);
  for (const id of [ofDevice, another]) {
    await client.query(
      "insert into api_keys (id, org_id, user_id, name, public_id, secret_hash) values ($1, $2, $3, 'k', $4, 'x')",
      [id, orgId, userId, id],
    );
  }
  await client.query(
    `insert into device_tokens (id, org_id, user_id, session_id, api_key_id, name, platform, public_id, secret_hash)
      values ($1, $2, $3, $4, $5, 'laptop', 'Linux', 'd', 'x')`,
    [randomUUID(), orgId, userId, sessionId, ofDevice],
  );

  await migrate(ownerUrl);

  const { rows } = await client.query<{ id: string }>(
    'select id, made_by, hint, session_id, expires_at from api_keys where org_id = $1',
    [orgId],
  );
  const unknown = { made_by: null, hint: null, session_id: null, expires_at: null };
  expect(new Map(rows.map((row) => [row.id, row]))).toEqual(
    new Map([
      [ofDevice, { ...unknown, id: ofDevice, made_by: 'device' }],
      [another, { ...unknown, id: another }],
    ]),
  );
});

test('in a database that exists, links for passwords whose maker nobody knows are gone', async () => {
  const [orgId, userId] = [randomUUID(), randomUUID()];
  await client.query(`
    alter table password_links drop column created_by;
    delete from schema_migrations where name = 'migration-20261122-makers-of-password-links';
  `);
  await client.query("insert into orgs (id, name) values ($1, 'Acme')", [orgId]);
  await client.query('insert into users (id, email) values ($1, $2)', [userId, `${userId}@example.com`]);
  await client.query(
    `insert into password_links (user_id, org_id, public_id, secret_hash, expires_at) values ($1, $2, 'public', '', 'infinity')`,
    [userId, orgId],
  );

  await migrate(ownerUrl);

  expect((await client.query('select from password_links')).rowCount).toBe(0);
});

test('in a database that exists, the traces of turns that were counted before count too', async () => {
  const [orgId, userId, agentId, chatId, counted, later] = Array.from({ length: 6 }, () => randomUUID());
  await client.query("delete from schema_migrations where name = 'migration-20270217-counted-traces'");
  await client.query("insert into orgs (id, name) values ($1, 'Acme')", [orgId]);
  await client.query('insert into users (id, email) values ($1, $2)', [userId, `${userId}@example.com`]);
  await client.query(
    `insert into agents (id, org_id, name, agent_type, temperature, max_tokens, max_subagents, max_concurrency)
      values ($1, $2, 'Ada', 'custom', 0, 1, 9, 9)`,
    [agentId, orgId],
  );
  await client.query("insert into chats (id, org_id, user_id, agent_id, title) values ($1, $2, $3, $4, 'Chat')", [
    chatId,
    orgId,
    userId,
    agentId,
  ]);
  const trace = JSON.stringify([{ at: '2026-11-21T00:00:00Z' }]);
  for (const [id, ended] of [
    [counted, "-interval '1 day'"],
    [later, "interval '1 day'"],
  ]) {
    await client.query(
      `insert into turns (id, org_id, chat_id, user_id, status, ended_at, trace)
        select $1, $2, $3, $4, 'completed', counted_until + ${ended}, $5::jsonb from usage_count`,
      [id, orgId, chatId, userId, trace],
    );
    await client.query(
      "insert into model_steps (turn_id, step, org_id, text, trace) values ($1, 0, $2, '', $3::jsonb)",
      [id, orgId, trace],
    );
  }
  await client.query('insert into org_usage (org_id, message_bytes, chats, chats_made) values ($1, 100, 1, 1)', [
    orgId,
  ]);

  await migrate(ownerUrl);

  const { rows } = await client.query(
    `select u.message_bytes::int - 100 as added, (select pg_column_size(trace) from turns where id = $2) as size
      from org_usage u where u.org_id = $1`,
    [orgId, counted],
  );
  expect(rows[0]?.size).toBeGreaterThan(30);
  expect(rows[0]?.added).toBe(2 * rows[0]?.size);
});
