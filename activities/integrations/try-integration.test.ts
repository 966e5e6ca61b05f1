import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Database } from '../../db/core/database.ts';
import { SecretBox } from '../../db/core/secret-box.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { createIntegration } from '../../db/integrations/integrations.ts';
import { findConnection } from '../../db/integrations/connections.ts';
import { type Grant, sealGrant } from '../../db/integrations/grants.ts';
import { connectDatabase } from '../../db/orm/connect.ts';
import { parsePrivateHosts } from '../../domain/network/addresses.ts';
import { json, OutsideServer } from '../../test/support/outside-server.ts';
import { insertOrg } from '../../test/support/rows.ts';
import { TEST_SECRET_KEY } from '../../test/support/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-database.ts';
import { createGuardedFetch } from '../core/network/guarded-fetch.ts';
import { createGuardedHttp, type GuardedResponse } from '../core/network/guarded-http.ts';
import { judgeAnswer, onlyAddress, reachAddress, tryOut } from './try-integration.ts';

describe('try integration', () => {
  const box = new SecretBox([TEST_SECRET_KEY]);
  const never = new AbortController().signal;

  const REVOKED: Grant = {
    accessToken: 'token-that-was-revoked',
    refreshToken: 'refresh-0',
    expiresAt: Date.now() + 3_600_000,
  };

  let testDatabase: TestDatabase;
  let database: Database;
  let guarded: ReturnType<typeof createGuardedFetch>;
  let server: OutsideServer;

  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    database = await connectDatabase({ url: testDatabase.url, poolSize: 2 });
    guarded = createGuardedFetch(parsePrivateHosts('127.0.0.1:*'));
    server = await OutsideServer.start();
  });

  afterAll(async () => {
    server.close();
    await guarded.close();
    await database.close();
    await testDatabase.drop();
  });

  beforeEach(() => {
    server.seen.length = 0;
  });

  /** Tries an integration of a GitLab server with which somebody has signed in. */
  async function tryWith(grant: Grant) {
    const orgId = await insertOrg(database);
    const { id } = await withOrgTransaction(database, orgId, async (em) =>
      createIntegration(em, box, {
        orgId,
        ownerId: null,
        kind: 'gitlab',
        name: 'Code',
        baseUrl: server.url,
        credentials: { client_id: 'our-client', client_secret: 'the-secret-of-the-client' },
        settings: {},
        secretPlaces: [],
        commandVariables: {},
        testRequest: null,
      }),
    );
    await database.system.query('update integrations set granted = $2 where id = $1', [
      id,
      sealGrant(box, { orgId, id }, grant),
    ]);
    const integration = await findConnection(database, { orgId, integrationId: id });
    if (integration === undefined) throw new Error('the integration is gone');
    const signIn = async () => Promise.reject(new Error('not signed in with'));
    return tryOut(integration, { database, box, http: createGuardedHttp(guarded.fetch), signIn }, never);
  }

  // GitLab as far as these tests need it: only a renewed token is taken.
  const gitlab = (isTaken: boolean) => {
    server.reply = (response, request) => {
      if (request.url === '/oauth/token')
        return json({ access_token: 'renewed', expires_in: 7_200 })(response, request);
      const isIn = isTaken && request.headers.authorization === 'Bearer renewed';
      return json(isIn ? { username: 'ada' } : {}, isIn ? 200 : 401)(response, request);
    };
  };

  test('a token that was revoked is renewed before the credentials are judged', async () => {
    gitlab(true);
    expect(await tryWith(REVOKED)).toEqual({ error: null, account: 'ada', hasAnswered: true });
    expect(server.seen.map(({ url }) => url)).toEqual(['/api/v4/user', '/oauth/token', '/api/v4/user']);
  });

  test.each([
    ['the renewed one is rejected too', REVOKED, 3],
    ['nothing renews it', { ...REVOKED, refreshToken: undefined }, 1],
  ])('credentials do not work when %s', async (_when, grant, requests) => {
    gitlab(false);
    expect(await tryWith(grant)).toMatchObject({ error: 'GitLab has rejected the credentials (status 401)' });
    expect(server.seen).toHaveLength(requests);
  });
});

describe('judge answer', () => {
  const SECRETS = { token: 'a-secret-token' };
  const github = { kind: 'github', testRequest: null } as const;

  function answer(status: number, body = ''): GuardedResponse {
    return {
      status,
      headers: new Map(),
      body: Buffer.from(body),
      finalUrl: 'https://api.github.com/user',
      redirects: 0,
      isTruncated: false,
    };
  }

  describe('a code host', () => {
    test('works when it names the account', () => {
      expect(judgeAnswer(github, answer(200, '{"login":"octocat"}'), SECRETS)).toEqual({
        error: null,
        account: 'octocat',
      });
      const gitlab = { kind: 'gitlab', testRequest: null } as const;
      expect(judgeAnswer(gitlab, answer(200, '{"username":"tanuki"}'), SECRETS).account).toBe('tanuki');
    });

    test.each([
      ['that holds the secret', '{"login":"I am a-secret-token"}'],
      ['with a line end', '{"login":"a\\nb"}'],
      ['that PostgreSQL cannot store', '{"login":"a\\u0000b"}'],
      ['that is endless', JSON.stringify({ login: 'x'.repeat(201) })],
    ])('works, and an account %s is not kept', (_what, body) => {
      expect(judgeAnswer(github, answer(200, body), SECRETS)).toEqual({ error: null, account: undefined });
    });

    test.each([
      [200, '<html>Sign in, a-secret-token</html>', "The answer is not GitHub's"],
      [200, '{"message":"hello"}', "The answer is not GitHub's"],
      [200, '['.repeat(1_000), "The answer is not GitHub's"],
      [200, '{"login":7}', "The answer is not GitHub's"],
      [301, '', 'redirects to another one (status 301)'],
      [401, 'a-secret-token is wrong', 'GitHub has rejected the credentials'],
      [403, '', 'does not let these credentials'],
      [404, '', 'nothing at the address'],
      [418, '', 'status 418'],
      [429, '', 'asks to wait before the next request'],
      [502, 'a-secret-token', 'GitHub had an internal error (status 502)'],
    ])('does not work when it answers %i %s, in words without any of it', (status, body, words) => {
      const { error, account } = judgeAnswer(github, answer(status, body), SECRETS);
      expect(error).toContain(words);
      expect(error).not.toContain('a-secret-token');
      expect(account).toBeUndefined();
    });
  });

  test('a server of metrics is one that answers the query of the test as its API has it', () => {
    const prometheus = { kind: 'prometheus', testRequest: null } as const;
    const body = { status: 'success', data: { resultType: 'vector', result: [] } };
    expect(judgeAnswer(prometheus, answer(200, JSON.stringify(body)), {})).toEqual({ error: null });
    expect(judgeAnswer(prometheus, answer(200, '<html>Sign in</html>'), {}).error).toBe(
      "The answer is not Prometheus's; check the base_url",
    );
  });

  describe('another service', () => {
    test('is reached when no request says how it is tested, whatever it answers to nobody', () => {
      const http = { kind: 'http', testRequest: null } as const;
      expect([200, 302, 401, 404].map((status) => judgeAnswer(http, answer(status), SECRETS).error)).toEqual(
        Array.from({ length: 4 }, () => null),
      );
      expect(judgeAnswer(http, answer(503), SECRETS).error).toContain('The service had an internal error');
    });

    test('works when it answers the request of the test', () => {
      const http = { kind: 'http', testRequest: { path: '/me' } } as const;
      expect(judgeAnswer(http, answer(204), SECRETS)).toEqual({ error: null });
      expect(judgeAnswer(http, answer(401), SECRETS).error).toContain('The service has rejected the credentials');
    });
  });
});

describe('reach address', () => {
  let server: OutsideServer;
  let guarded: ReturnType<typeof createGuardedFetch>;

  beforeAll(async () => {
    server = await OutsideServer.start();
    guarded = createGuardedFetch(parsePrivateHosts(`127.0.0.1:${server.port}`));
  });

  afterAll(async () => {
    await guarded.close();
    server.close();
  });

  test('a webhook is all that there is only where no request can be made with the other credentials', () => {
    const webhook_url = 'https://discord.com/api/webhooks/1/x';
    const discord = { kind: 'discord', apiUrl: 'https://discord.com/api/v10' } as const;
    expect(onlyAddress(discord, { webhook_url })).toBe(webhook_url);
    expect(onlyAddress(discord, { webhook_url, bot_token: 'a-token' })).toBeUndefined();
    expect(onlyAddress({ kind: 'github', apiUrl: 'https://api.github.com' }, {})).toBeUndefined();
  });

  test.each([
    ['https://api.pagerduty.com', 'https://events.pagerduty.com'],
    ['https://api.eu.pagerduty.com', 'https://events.eu.pagerduty.com'],
    ['https://proxy.example.com/pagerduty', 'https://proxy.example.com/pagerduty'],
  ])('a key for events alone is for the server of events beside %s, which is %s', (apiUrl, events) => {
    const account = { kind: 'pagerduty', apiUrl } as const;
    expect(onlyAddress(account, { routing_key: 'a-routing-key' })).toBe(events);
    expect(onlyAddress(account, { routing_key: 'a-routing-key', api_key: 'a-key' })).toBeUndefined();
  });

  test.each([
    [404, null],
    [502, 'The server had an internal error (status 502)'],
  ])('the server of an address that answers %i is judged by that, and not told the address', async (status, error) => {
    server.seen.length = 0;
    server.reply = (response) => void response.writeHead(status).end();
    const address = `${server.url}/api/webhooks/1/a-secret?sig=another`;
    const reached = reachAddress(createGuardedHttp(guarded.fetch), address, new AbortController().signal);
    expect(await reached).toEqual({ error, hasAnswered: true });
    expect(server.seen).toMatchObject([{ method: 'GET', url: '/' }]);
  });

  test('an address that may not be reached says so', async () => {
    const http = createGuardedHttp(guarded.fetch);
    const verdict = await reachAddress(http, 'https://169.254.169.254/x', new AbortController().signal);
    expect(verdict).toEqual({ error: expect.any(String) as unknown, hasAnswered: false });
  });
});
