import { beforeAll, describe, expect, test } from '@jest/globals';
import { registerUser, type TestUser } from '../support/factories.ts';
import { inLength } from '../support/in-length.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { claimsOf, forgeToken } from '../support/forge-token.ts';
import { fill } from './path-ids.ts';
import { failureOf, routesThat, spread } from './route-list.ts';

const served = serveTestApi();
let user: TestUser;
let refused: readonly (string | undefined)[];
let expired: string;

const routeCount = inLength(10, Infinity);

beforeAll(async () => {
  user = await registerUser(served.url);
  const claims = claimsOf(user.accessToken);
  const ended = await registerUser(served.url);
  await ended.client.post('/api/auth/logout');
  const revoked = await user.client.post<{ id: string; key: string }>('/api/users/me/api-keys', { name: 'revoked' });
  await user.client.delete(`/api/users/me/api-keys/${revoked.json.id}`);
  const now = Math.floor(Date.now() / 1000);
  refused = [
    undefined,
    '',
    'garbage',
    'a.b.c',
    user.refreshToken,
    ended.accessToken,
    revoked.json.key,
    forgeToken({ claims: { ...claims, nbf: now + 3_600 } }),
    forgeToken({ claims, secret: 'another secret key that is long enough' }),
    forgeToken({ claims: { ...claims, exp: now - 1 }, secret: 'another secret key that is long enough' }),
  ];
  expired = forgeToken({ claims: { ...claims, exp: now - 1 } });
});

describe.each(
  spread(
    routesThat(({ access }) => access !== 'public'),
    routeCount,
  ),
)('$title', ({ route }) => {
  test('answers the same 401 without a token and with each token that is not good', async () => {
    const path = fill(route);
    for (const token of refused) {
      const answer = await user.client.as(token).send(route.method.toUpperCase(), path, route.body && '{"not":"read"');
      expect([token, answer.status, answer.json]).toEqual([token, 401, failureOf(route, 'Missing or invalid token')]);
      const challenge = token === undefined || token === '' ? /^Bearer/ : /^Bearer error="invalid_token"/;
      expect(answer.headers.get('www-authenticate')).toMatch(challenge);
    }
  });

  test('says that a token has expired, and keeps no answer for others', async () => {
    const answer = await user.client.as(expired).send(route.method.toUpperCase(), fill(route));
    expect([answer.status, answer.json]).toEqual([401, failureOf(route, 'The token has expired')]);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token".*expired"$/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('ignores a token in the query, in a cookie and in other headers', async () => {
    const path = `${fill(route)}?access_token=${user.accessToken}&token=${user.accessToken}`;
    const token = user.accessToken;
    const headers = { cookie: `access_token=${token}; token=${token}`, 'x-api-key': token, 'x-access-token': token };
    for (const authorization of [undefined, 'Basic dXNlcjpwYXNz', 'Bearer', token, `Token ${token}`]) {
      const answer = await user.client
        .as(undefined)
        .send(
          route.method.toUpperCase(),
          path,
          route.body && { access_token: token },
          authorization === undefined ? headers : { ...headers, authorization },
        );
      expect([authorization, answer.status]).toEqual([authorization, 401]);
    }
  });
});

describe.each(routesThat(({ access }) => access === 'public'))('$title', ({ route }) => {
  test('needs no token', async () => {
    const answer = await user.client.as(undefined).send(route.method.toUpperCase(), fill(route));
    expect(answer.status).not.toBe(401);
  });
});
