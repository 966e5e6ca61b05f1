import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createAgent, createProvider, registerUser } from '../test/support/factories.ts';
import { serveTestApi } from '../test/support/serve-test-api.ts';
import { TEST_SECRET_KEY } from '../test/support/test-api.ts';
import { SecretBox } from './core/secret-box.ts';
import { integrationSecrets } from './integrations/integrations.ts';
import { sealGrant } from './integrations/grants.ts';
import { openCredentials } from './providers/provider-accounts.ts';
import { readStoredCredentials, replaceCredentials } from './providers/account-uses.ts';
import { countByKey, encryptAnew, STORED_SECRETS } from './secrets.ts';

const LATER_KEY = 'the key that follows the one of the tests';
const former = new SecretBox([TEST_SECRET_KEY]);
const rotated = new SecretBox([LATER_KEY, TEST_SECRET_KEY]);
const later = new SecretBox([LATER_KEY]);

const served = serveTestApi({ isOwn: true });

/** Columns of bytes that hold no ciphertext, by the ends of their names. */
const PLAIN = ['digest', 'hash', 'content', 'vector', 'signature', 'id', 'received'];

test('every column of ciphertext is known: an old key can be dropped once it has encrypted none of them', async () => {
  const { rows } = await served.api.database.system.query<{ name: string }>(
    `select c.table_name || '.' || c.column_name as name from information_schema.columns c
      join pg_tables t on t.tablename = c.table_name and t.schemaname = c.table_schema
      where c.table_schema = 'public' and c.data_type = 'bytea'`,
  );
  const sealed = rows.map(({ name }) => name).filter((name) => !PLAIN.some((end) => name.endsWith(end)));
  expect(sealed.toSorted()).toEqual(STORED_SECRETS.map(({ table, column }) => `${table}.${column}`).toSorted());
});

test('every stored secret is encrypted with the first key, can be read with it alone, and is counted by key', async () => {
  const { database } = served.api;
  const { client, orgId } = await registerUser(served.url);
  const key = { credentials: { api_key: 'sk-of-the-account' } };
  await createProvider(client, 'https://models.example.com', key);
  const token = { kind: 'github', name: 'Code', credentials: { token: 'of-the-host' } };
  const integration = (await client.post<{ id: string }>('/api/integrations', token)).json.id;
  const grant = { accessToken: 'a', refreshToken: 'r', expiresAt: null, scopes: [] } as never;
  await database.system.query('update integrations set granted = $2 where id = $1', [
    integration,
    sealGrant(former, { orgId, id: integration }, grant),
  ]);
  const server = { name: 'Tickets', url: 'https://mcp.example.com/', auth_type: 'bearer', auth_value: 'of the server' };
  const mcp = (await client.post<{ id: string }>('/api/mcp-servers', server)).json.id;
  await database.system.query('update mcp_servers set granted = $2 where id = $1', [
    mcp,
    former.seal('{}', `mcp_servers/${orgId}/${mcp}/granted`),
  ]);
  const workflow = {
    name: 'Triage',
    agent_id: await createAgent(client),
    prompt_template: 'x',
    trigger_type: 'webhook',
  };
  const { status } = await client.post('/api/workflows', {
    ...workflow,
    webhook_secret: 'of the senders of the webhook',
    notify_url: 'https://hooks.example.com/',
    notify_secret: 'of our own deliveries, long enough',
  });
  expect(status).toBe(201);

  const kinds = (await countByKey(database.system)).map(({ kind }) => kind);
  expect(kinds).toEqual(
    expect.arrayContaining([
      'MCP servers',
      'integrations',
      'outgoing webhooks',
      'provider accounts',
      'sign-ins at MCP servers',
      'sign-ins with integrations',
      'webhooks of workflows',
    ]),
  );
  const done = await encryptAnew(database, rotated);
  expect(done.map(({ kind }) => kind).toSorted()).toEqual([...new Set(kinds)].toSorted());
  expect(done.filter(({ unreadable }) => unreadable > 0)).toEqual([]);
  const counted = await countByKey(database.system);
  expect(new Set(counted.map(({ keyId }) => keyId))).toEqual(new Set(later.keyIds));
  const { rows } = await database.system.query<{ id: string; credentials: Buffer }>(
    'select id, credentials from provider_accounts where org_id = $1',
    [orgId],
  );
  expect(rows.map((row) => JSON.stringify(openCredentials(later, { ...row, orgId })))).toEqual([
    expect.stringContaining('sk-of-the-account'),
  ]);

  // What no key reads stays as it is, for the day on which the key is back.
  expect(await encryptAnew(database, new SecretBox(['a key that has never encrypted anything here']))).toContainEqual({
    kind: 'provider accounts',
    encrypted: 0,
    unreadable: 1,
  });
  expect(await encryptAnew(database, later)).toEqual([]);
});

test('a rotation that was killed continues where it was, and every secret can be read in the meantime', async () => {
  const { database } = served.api;
  const { client, orgId } = await registerUser(served.url);
  const fields = { kind: 'github', name: 'Code', credentials: { token: 'of-the-host' } };
  const { id } = (await client.post<{ id: string }>('/api/integrations', fields)).json;
  const ids = Array.from({ length: 450 }, () => randomUUID());
  await database.system.query(
    `insert into integrations select (jsonb_populate_record(i, jsonb_build_object('id', copy, 'name', copy))).*
      from integrations i, unnest($2::uuid[]) copy where i.id = $1`,
    [id, ids],
  );
  await database.system.query(
    `update integrations i set credentials = copy.credentials
      from unnest($1::uuid[], $2::bytea[]) copy (id, credentials) where i.id = copy.id`,
    [ids, ids.map((copy) => integrationSecrets.seal(former, { orgId, id: copy }, 'of the host'))],
  );
  const left = async () => {
    const counts = await countByKey(database.system);
    const ofFormer = counts.find(({ kind, keyId }) => kind === 'integrations' && former.keyIds.includes(keyId));
    return ofFormer?.count ?? 0;
  };
  const readable = async (box: SecretBox) => {
    const { rows } = await database.system.query<{ id: string; credentials: Buffer }>(
      'select id, credentials from integrations where org_id = $1',
      [orgId],
    );
    return rows.filter((row) => integrationSecrets.open(box, { orgId, id: row.id }, row.credentials).length > 0).length;
  };
  const untilThen = await left();
  const killed = encryptAnew(database, rotated, ({ kind }) => {
    if (kind === 'integrations') throw new Error('killed');
  });
  await expect(killed).rejects.toThrow('killed');
  const remaining = await left();
  expect(remaining).toBeGreaterThan(0);
  expect(remaining).toBeLessThan(untilThen);
  expect(await readable(rotated)).toBe(451);

  const encrypted: number[] = [];
  await encryptAnew(database, rotated, (progress) => {
    if (progress.kind === 'integrations') encrypted.push(progress.encrypted);
  });
  expect(encrypted.length).toBeGreaterThan(1);
  expect([encrypted.at(-1), await left(), await readable(later)]).toEqual([remaining, 0, 451]);
});

test('credentials that are renewed in the meantime are stored, unless somebody has signed in again', async () => {
  const { database } = served.api;
  const { client, orgId } = await registerUser(served.url);
  const accountId = await createProvider(client, 'https://models.example.com');
  const ref = { orgId, accountId };
  const stored = async () => {
    const credentials = await readStoredCredentials(database, ref);
    return { credentials, opened: openCredentials(rotated, { orgId, id: accountId, credentials }) };
  };
  const { credentials: read } = await stored();
  if (read === null) throw new Error('the account has no credentials');
  await encryptAnew(database, rotated);
  const renewed = { former: read, credentials: { api_key: 'renewed' } };
  expect(await replaceCredentials(database, rotated, ref, renewed)).toEqual((await stored()).credentials);
  expect((await stored()).opened).toEqual({ api_key: 'renewed' });
  const late = { former: read, credentials: { api_key: 'of a call that began before' } };
  expect(await replaceCredentials(database, rotated, ref, late)).toBeUndefined();
  expect((await stored()).opened).toEqual({ api_key: 'renewed' });
});
