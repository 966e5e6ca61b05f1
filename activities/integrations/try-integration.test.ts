import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Database, SecretBox, withOrgTransaction } from '../../db/core/index.ts';
import { createIntegration, findConnection, type Grant, sealGrant } from '../../db/integrations/index.ts';
import { connectDatabase } from '../../db/orm/index.ts';
import { parsePrivateHosts } from '../../domain/network/index.ts';
import { json, OutsideServer } from '../../test/support/outside-server.ts';
import { insertOrg } from '../../test/support/rows.ts';
import { TEST_SECRET_KEY } from '../../test/support/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-database.ts';
import { createGuardedFetch } from '../core/network/guarded-fetch.ts';
import { createGuardedHttp } from '../core/network/guarded-http.ts';
import { tryOut } from './try-integration.ts';

const box = new SecretBox([TEST_SECRET_KEY]);
const never = new AbortController().signal;
const REVOKED: Grant = {
  accessToken: 'token-that-was-revoked',
  refreshToken: 'refresh-0',
  expiresAt: Date.now() + 3_600_000,
};

let place: TestDatabase;
let database: Database;
let guarded: ReturnType<typeof createGuardedFetch>;
let server: OutsideServer;
beforeAll(async () => {
  place = await createTestDatabase();
  database = await connectDatabase({ url: place.url, poolSize: 2 });
  guarded = createGuardedFetch(parsePrivateHosts('127.0.0.1:*'));
  server = await OutsideServer.start();
});
afterAll(async () => {
  server.close();
  await guarded.close();
  await database.close();
  await place.drop();
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
    if (request.url === '/oauth/token') return json({ access_token: 'renewed', expires_in: 7_200 })(response, request);
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
