import { createVerify, generateKeyPairSync } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Database } from '../../db/core/database.ts';
import { SecretBox } from '../../db/core/secret-box.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { createIntegration } from '../../db/integrations/integrations.ts';
import { findConnection } from '../../db/integrations/connections.ts';
import { type Grant, openGrant, sealGrant } from '../../db/integrations/grants.ts';
import { connectDatabase } from '../../db/orm/connect.ts';
import { encryptAnew } from '../../db/secrets.ts';
import type { IntegrationKindKey } from '../../domain/integrations/kinds/index.ts';
import type { Secrets } from '../../domain/integrations/integration-kind.ts';
import { parsePrivateHosts } from '../../domain/network/addresses.ts';
import { GitlabAuthority } from '../../test/support/gitlab-authority.ts';
import { OutsideServer } from '../../test/support/outside-server.ts';
import { insertOrg } from '../../test/support/rows.ts';
import { TEST_SECRET_KEY } from '../../test/support/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-database.ts';
import { createGuardedFetch } from '../core/network/guarded-fetch.ts';
import { createGuardedHttp, type GuardedHttp } from '../core/network/guarded-http.ts';
import { openCredentials } from './open-credentials.ts';

const box = new SecretBox([TEST_SECRET_KEY]);
const never = new AbortController().signal;
const CLIENT = { client_id: 'our client', client_secret: 'the-secret-of-the-client' };

let testDatabase: TestDatabase;
/** The connections of two workers. */
let databases: [Database, Database];
let guarded: ReturnType<typeof createGuardedFetch>;
let http: GuardedHttp;
let authority: GitlabAuthority;
let outside: OutsideServer;
let orgId: string;
beforeAll(async () => {
  // Its key takes longer than a test.
  [testDatabase, authority, outside] = await Promise.all([
    createTestDatabase(),
    GitlabAuthority.start(),
    OutsideServer.start(),
  ]);
  databases = [
    await connectDatabase({ url: testDatabase.url, poolSize: 2 }),
    await connectDatabase({ url: testDatabase.url, poolSize: 2 }),
  ];
  guarded = createGuardedFetch(parsePrivateHosts('127.0.0.1:*'));
  http = createGuardedHttp(guarded.fetch);
});
afterAll(async () => {
  await Promise.all(databases.map(async (each) => each.close()));
  await guarded.close();
  await authority.close();
  outside.close();
  await testDatabase.drop();
});
beforeEach(async () => {
  authority.exchanges.length = 0;
  authority.reply = undefined;
  outside.seen.length = 0;
  orgId = await insertOrg(databases[0]);
});

interface Added {
  readonly kind?: IntegrationKindKey;
  readonly baseUrl?: string | null;
  readonly credentials?: Secrets;
  readonly settings?: Readonly<Record<string, string>>;
  readonly grant?: Grant;
}

const ENDING: Grant = { accessToken: 'token-that-ends', refreshToken: 'refresh-0', expiresAt: Date.now() + 30_000 };

/** Adds an integration with which somebody has signed in; answers what requests are made from. */
async function add({
  kind = 'gitlab',
  baseUrl = authority.url,
  credentials = CLIENT,
  settings = {},
  grant,
}: Added = {}) {
  const [database] = databases;
  const fields = { kind, baseUrl, settings, name: 'Ours', secretPlaces: [], commandVariables: {}, testRequest: null };
  const { id } = await withOrgTransaction(database, orgId, async (em) =>
    createIntegration(em, box, { ...fields, orgId, ownerId: null, credentials }),
  );
  if (grant !== undefined)
    await database.system.query('update integrations set granted = $2, signed_in_at = now() where id = $1', [
      id,
      sealGrant(box, { orgId, id }, grant),
    ]);
  return id;
}

async function connectionOf(id: string) {
  const found = await findConnection(databases[0], { orgId, integrationId: id });
  if (found === undefined) throw new Error('the integration is gone');
  return found;
}

interface Opening {
  readonly worker?: 0 | 1;
  readonly signal?: AbortSignal;
  readonly rejected?: Secrets;
}

/** Opens an integration, as it is stored now. */
async function open(id: string, { worker = 0, signal = never, rejected }: Opening = {}) {
  return openCredentials({ database: databases[worker], box, http }, await connectionOf(id), signal, rejected);
}

async function stateOf(id: string) {
  const { rows } = await databases[0].system.query<{ error: string | null; granted: Buffer | null }>(
    'select error, granted, signed_in_at, renewing_until from integrations where id = $1',
    [id],
  );
  return rows[0];
}

describe('tokens of a sign-in', () => {
  test('are used as they are while they last, and nothing of the client goes with requests', async () => {
    const id = await add({ grant: { ...ENDING, accessToken: 'token-that-lasts', expiresAt: Date.now() + 120_000 } });
    expect(await open(id)).toEqual({ token: 'token-that-lasts' });
    expect((await connectionOf(id)).fields).toEqual(['token']);
    expect(authority.exchanges).toEqual([]);
  });

  test('are renewed once for ten calls of two workers, and the next refresh token is kept', async () => {
    const id = await add({ grant: ENDING });
    const opened = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => open(id, { worker: index % 2 === 0 ? 0 : 1 })),
    );
    expect(new Set(opened.map(({ token }) => token)).size).toBe(1);
    expect(opened[0]?.['token']).toMatch(/^ey/);
    expect(authority.exchanges).toMatchObject([
      {
        authorization: `Basic ${Buffer.from('our+client:the-secret-of-the-client').toString('base64')}`,
        form: { grant_type: 'refresh_token', refresh_token: 'refresh-0' },
      },
    ]);
    expect(await stateOf(id)).toMatchObject({ error: null, renewing_until: null });
    authority.reply = { body: { expires_in: 1 } };
    await databases[0].system.query('update integrations set granted = $2 where id = $1', [
      id,
      sealGrant(box, { orgId, id }, { ...ENDING, refreshToken: 'refresh-1' }),
    ]);
    await open(id);
    await open(id);
    const sent = authority.exchanges.map(({ form }) => form['refresh_token']);
    expect(sent.slice(0, 2)).toEqual(['refresh-0', 'refresh-1']);
    expect(sent[2]).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('are kept when secrets are re-encrypted while they are renewed', async () => {
    const id = await add({ grant: ENDING });
    const rotated = new SecretBox(['the key that follows', TEST_SECRET_KEY]);
    const slow: GuardedHttp = {
      request: async (request) => {
        const answer = await http.request(request);
        await encryptAnew(databases[1], rotated);
        return answer;
      },
    };
    const deps = { database: databases[0], box: rotated, http: slow };
    const { token } = await openCredentials(deps, await connectionOf(id), never);
    const { granted = null, ...state } = (await stateOf(id)) ?? {};
    expect(state).toMatchObject({ renewing_until: null });
    expect(granted && openGrant(rotated, { orgId, id }, granted)).toMatchObject({
      accessToken: token,
      refreshToken: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  test('that the service does not take any more are asked for no more: somebody has to sign in again', async () => {
    const id = await add({ grant: ENDING });
    authority.reply = { status: 400, body: { access_token: undefined, error: 'invalid_grant' } };
    const calls = await Promise.allSettled(Array.from({ length: 10 }, async () => open(id)));
    for (const call of calls) expect(call).toMatchObject({ reason: { kind: 'ended' } });
    expect(authority.exchanges).toHaveLength(1);
    const state = await stateOf(id);
    expect(state).toMatchObject({ granted: null, signed_in_at: null, error: expect.stringContaining('sign in again') });
    await expect(open(id)).rejects.toMatchObject({ kind: 'ended' });
    expect(authority.exchanges).toHaveLength(1);
  });

  test('that a worker was renewing when it died are renewed by another one', async () => {
    const id = await add({ grant: ENDING });
    await databases[0].system.query(
      "update integrations set renewing_until = now() + interval '1 second' where id = $1",
      [id],
    );
    expect((await open(id))['token']).toMatch(/^ey/);
  });

  test('are renewed to the end although the call is interrupted', async () => {
    const id = await add({ grant: ENDING });
    const call = new AbortController();
    authority.reply = { body: { refresh_token: 'refresh-of-the-interrupted' } };
    const aborted = open(id, { signal: call.signal });
    call.abort(new Error('interrupted'));
    await expect(aborted).rejects.toThrow('interrupted');
    expect((await open(id))['token']).toMatch(/^ey/);
    expect(authority.exchanges).toHaveLength(1);
  });

  test('are wanted from nobody while nobody has signed in', async () => {
    const id = await add();
    await expect(open(id)).rejects.toMatchObject({
      kind: 'ended',
      message: expect.stringContaining('Nobody has signed in'),
    });
    expect(authority.exchanges).toEqual([]);
  });

  test('leave no lease behind when the service refuses the client, which the integration says', async () => {
    const id = await add({ grant: ENDING });
    authority.reply = { status: 401, body: { access_token: undefined, error: 'invalid_client' } };
    await expect(open(id)).rejects.toMatchObject({ kind: 'refused' });
    expect(await stateOf(id)).toMatchObject({ renewing_until: null, error: expect.stringContaining('invalid_client') });
    authority.reply = undefined;
    expect((await open(id))['token']).toMatch(/^ey/);
  });
});

describe('a token that the service has rejected although it lasts', () => {
  const LASTING: Grant = { ...ENDING, accessToken: 'token-that-was-revoked', expiresAt: Date.now() + 3_600_000 };
  const rejected = { token: LASTING.accessToken };

  test('is renewed once for ten calls of two workers, also for those that read it before', async () => {
    const id = await add({ grant: LASTING });
    const before = await connectionOf(id);
    const opened = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => open(id, { worker: index % 2 === 0 ? 0 : 1, rejected })),
    );
    expect(new Set(opened.map(({ token }) => token)).size).toBe(1);
    expect(opened[0]?.['token']).toMatch(/^ey/);
    expect(await openCredentials({ database: databases[0], box, http }, before, never, rejected)).toEqual(opened[0]);
    expect(authority.exchanges).toMatchObject([{ form: { refresh_token: 'refresh-0' } }]);
  });

  test('stays what it is where nothing renews it, and the sign-in with it', async () => {
    const id = await add({ grant: { ...LASTING, refreshToken: undefined } });
    expect(await open(id, { rejected })).toEqual(rejected);
    expect(authority.exchanges).toEqual([]);
    expect(await stateOf(id)).toMatchObject({ error: null, renewing_until: null, granted: expect.any(Buffer) });
  });

  test('ends the sign-in when the service does not renew it', async () => {
    const id = await add({ grant: LASTING });
    authority.reply = { status: 400, body: { access_token: undefined, error: 'invalid_grant' } };
    await expect(open(id, { rejected })).rejects.toMatchObject({ kind: 'ended' });
    expect(await stateOf(id)).toMatchObject({ granted: null, error: expect.stringContaining('sign in again') });
  });

  test('was stored as it is where nobody signs in', async () => {
    const id = await add({ credentials: { token: 'a-token-of-the-tests' } });
    expect(await open(id, { rejected: { token: 'a-token-of-the-tests' } })).toEqual({ token: 'a-token-of-the-tests' });
    expect(authority.exchanges).toEqual([]);
  });
});

describe('a token endpoint', () => {
  test.each<[string, (server: OutsideServer, other: string) => void, RegExp]>([
    [
      'that redirects',
      (server, other) => {
        server.reply = (response) => void response.writeHead(307, { location: `${other}/oauth/token` }).end();
      },
      /redirects to where credentials are not sent/,
    ],
    [
      'that answers without an end',
      (server) => {
        server.reply = (response) => {
          response.writeHead(200, { 'content-type': 'application/json' });
          const chunk = 'x'.repeat(64 * 1024);
          const more = () => void (response.destroyed || (response.write(chunk) ? setImmediate(more) : 0));
          response.on('drain', more);
          response.write('{"access_token":"');
          more();
        };
      },
      /contains no token/,
    ],
    [
      'that answers with a page',
      (server) => {
        server.reply = (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
      },
      /contains no token/,
    ],
    [
      'that gives a token with a line break',
      (server) => {
        server.reply = (response) =>
          void response.writeHead(200).end(JSON.stringify({ access_token: 'a\r\nHost: evil.example' }));
      },
      /contains no token/,
    ],
    [
      'that has an error of its own',
      (server) => {
        server.reply = (response) => void response.writeHead(500).end(CLIENT.client_secret);
      },
      /gave no token at present \(status 500\)$/,
    ],
  ])('%s gives no token, and what was granted stays', async (_what, prepare, words) => {
    prepare(outside, authority.url);
    const id = await add({ baseUrl: outside.url, grant: ENDING });
    const failure = open(id);
    await expect(failure).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(failure).rejects.toThrow(words);
    expect(outside.seen).toHaveLength(1);
    expect(authority.exchanges).toEqual([]);
    expect((await stateOf(id))?.granted).not.toBeNull();
  });
});

describe('a service account', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const key = { type: 'service_account', client_email: 'agents@acme.iam.example.com', private_key: privateKey };
  const credentials = { service_account_json: JSON.stringify({ ...key, private_key_id: 'key-1' }) };
  const TOKEN_URL = 'https://oauth2.googleapis.com/token';

  beforeEach(() => {
    // The address is Google's; this test takes its place.
    http = {
      request: async (request) => {
        expect(request.url).toBe(TOKEN_URL);
        return createGuardedHttp(guarded.fetch).request({ ...request, url: `${authority.url}/oauth/token` });
      },
    };
  });
  afterEach(() => {
    http = createGuardedHttp(guarded.fetch);
  });

  test('asks with a signed assertion for a token, which is used until it ends, in the name of the subject', async () => {
    const id = await add({
      kind: 'google_drive',
      baseUrl: null,
      credentials,
      settings: { subject: 'ada@example.com' },
    });
    const [first, second] = [await open(id), await open(id)];
    expect(first['access_token']).toMatch(/^ey/);
    expect(second).toEqual(first);
    expect(authority.exchanges).toHaveLength(1);
    const { grant_type: grantType, assertion } = authority.exchanges[0]?.form ?? {};
    expect(grantType).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const [header = '', claims = '', signature = ''] = String(assertion).split('.');
    const decoded = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
    expect(decoded(header)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'key-1' });
    expect(decoded(claims)).toMatchObject({
      iss: key.client_email,
      aud: TOKEN_URL,
      sub: 'ada@example.com',
      scope: 'https://www.googleapis.com/auth/drive',
    });
    const verify = createVerify('sha256').update(`${header}.${claims}`);
    expect(verify.verify(publicKey, Buffer.from(signature, 'base64url'))).toBe(true);

    await databases[0].system.query(
      'update integrations set settings = \'{"subject":"bob@example.com"}\' where id = $1',
      [id],
    );
    const third = await open(id);
    expect(authority.exchanges).toHaveLength(2);
    await open(id, { rejected: third });
    expect(authority.exchanges).toHaveLength(3);
  });

  test('whose key is none makes the integration fail, in words without it', async () => {
    const private_key = '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n';
    const broken = { service_account_json: JSON.stringify({ ...key, private_key }) };
    const id = await add({ kind: 'google_drive', baseUrl: null, credentials: broken });
    await expect(open(id)).rejects.toMatchObject({ kind: 'refused' });
    expect(await stateOf(id)).toMatchObject({
      error: 'The private key of the service account cannot be used',
      renewing_until: null,
    });
    expect(authority.exchanges).toEqual([]);
  });

  test('whose key Google does not take makes the integration fail', async () => {
    const id = await add({ kind: 'google_sheets', baseUrl: null, credentials });
    authority.reply = { status: 400, body: { access_token: undefined, error: 'invalid_grant' } };
    await expect(open(id)).rejects.toMatchObject({ kind: 'refused' });
    expect((await stateOf(id))?.error).toContain('does not take the key of the service account');
  });
});

describe('an app of Microsoft', () => {
  const app = {
    tenant_id: 'acme.example.com',
    client_id: 'the-id-of-the-app',
    client_secret: 'the-secret-of-the-app',
    webhook_url: 'https://acme.example.com/a-workflow-that-posts',
  };
  const asked: string[] = [];

  beforeEach(() => {
    asked.length = 0;
    // The address is Microsoft's; this test takes its place.
    http = {
      request: async (request) => {
        asked.push(request.url);
        return createGuardedHttp(guarded.fetch).request({ ...request, url: `${authority.url}/oauth/token` });
      },
    };
  });
  afterEach(() => {
    http = createGuardedHttp(guarded.fetch);
  });

  test('asks with its own credentials for a token, which is used until it ends, and keeps the webhook', async () => {
    const id = await add({ kind: 'ms_teams', baseUrl: null, credentials: app });
    const opened = await open(id);
    expect(opened).toEqual({ access_token: expect.stringMatching(/^ey/), webhook_url: app.webhook_url });
    expect(await open(id, { worker: 1 })).toEqual(opened);
    expect(asked).toEqual(['https://login.microsoftonline.com/acme.example.com/oauth2/v2.0/token']);
    expect(authority.exchanges).toMatchObject([
      {
        form: {
          grant_type: 'client_credentials',
          scope: 'https://graph.microsoft.com/.default',
          client_id: app.client_id,
          client_secret: app.client_secret,
        },
      },
    ]);
    expect((await connectionOf(id)).fields).toEqual(['access_token', 'webhook_url']);
    expect(await stateOf(id)).toMatchObject({ error: null, signed_in_at: null, renewing_until: null });
  });

  test.each([
    [401, 'invalid_client', /has rejected the client: check its id and secret \(invalid_client\)/],
    [400, 'invalid_grant', /does not take the credentials of the app$/],
  ])(
    'that is refused with %i %s makes the integration fail, and nobody is asked to sign in',
    async (status, error, words) => {
      const id = await add({ kind: 'ms_teams', baseUrl: null, credentials: app });
      authority.reply = { status, body: { access_token: undefined, error } };
      await expect(open(id)).rejects.toMatchObject({ kind: 'refused' });
      expect((await stateOf(id))?.error).toMatch(words);
    },
  );

  test.each(['..', 'a/b', 'acme example', ''])('of the tenant %j is not asked for', async (tenant) => {
    const id = await add({ kind: 'ms_teams', baseUrl: null, credentials: { ...app, tenant_id: tenant } });
    await expect(open(id)).rejects.toThrow(/tenant_id is neither/);
    expect(asked).toEqual([]);
  });

  test('goes before a token that was given', async () => {
    const credentials = { ...app, access_token: 'a-token-that-was-given' };
    const id = await add({ kind: 'ms_teams', baseUrl: null, credentials });
    expect((await open(id))['access_token']).toMatch(/^ey/);
  });

  test('is none without all three of its credentials: a token that was given is sent as it is', async () => {
    const credentials = { client_id: app.client_id, access_token: 'a-token-that-was-given' };
    expect(await open(await add({ kind: 'ms_teams', baseUrl: null, credentials }))).toEqual(credentials);
    expect(asked).toEqual([]);
  });
});
