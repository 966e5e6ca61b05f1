import { describe, expect, test } from '@jest/globals';
import { SecretBox } from '../../db/core/secret-box.ts';
import { readPushKey } from '../../db/installation.ts';
import { encryptAnew } from '../../db/secrets.ts';
import { ApiClient } from '../../test/support/api-client.ts';
import { registerUser, type TestUser } from '../../test/support/factories.ts';
import { SubscribedBrowser } from '../../test/support/push-service.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { TEST_SECRET_KEY } from '../../test/support/test-api.ts';

const served = serveTestApi({ isOwn: true });
const PATH = '/api/users/me/push-subscriptions';

interface Subscription {
  readonly id: string;
  readonly is_current: boolean;
}

let made = 0;
async function newSubscription() {
  const { p256dh, auth } = await SubscribedBrowser.open();
  return { endpoint: `https://push.example.com/${(made += 1)}`, p256dh, auth };
}

const signedIn = async ({ email, password, client }: TestUser): Promise<ApiClient> =>
  client.as((await client.post<{ access_token: string }>('/api/auth/login', { email, password })).json.access_token);

const listed = async (client: ApiClient) => (await client.get<Subscription[]>(PATH)).json;

describe('POST /api/users/me/push-subscriptions', () => {
  test('has the browser of the session notified, and replaces what it had before', async () => {
    const { client } = await registerUser(served.url);
    const { status, json } = await client.post<Subscription>(PATH, await newSubscription());
    expect([status, json]).toEqual([
      201,
      {
        id: expect.any(String),
        is_current: true,
        user_agent: 'node',
        service: 'push.example.com',
        error: null,
        created_at: expect.any(String),
      },
    ]);
    expect(await listed(client)).toEqual([json]);
    const second = (await client.post<Subscription>(PATH, await newSubscription())).json;
    expect(await listed(client)).toEqual([second]);
  });

  test('takes the browser over from its former user, and from nobody else', async () => {
    const [ada, grace] = [await registerUser(served.url), await registerUser(served.url)];
    const subscription = await newSubscription();
    await ada.client.post(PATH, subscription);
    const { auth } = await newSubscription();
    // Who knows the address alone, and not the keys of the browser.
    expect(await grace.client.post(PATH, { ...subscription, auth })).toMatchObject({
      status: 409,
      json: { detail: 'Another browser is notified at this endpoint' },
    });
    expect([await listed(ada.client), await listed(grace.client)]).toMatchObject([[{ is_current: true }], []]);
    expect((await grace.client.post(PATH, subscription)).status).toBe(201);
    expect([await listed(ada.client), await listed(grace.client)]).toMatchObject([[], [{ is_current: true }]]);
  });

  test('keeps the newest twenty of a person, however many ask at once', async () => {
    const user = await registerUser(served.url);
    const clients = await Promise.all(Array.from({ length: 24 }, async () => signedIn(user)));
    await Promise.all(clients.map(async (client) => client.post(PATH, await newSubscription())));
    expect(await listed(user.client)).toHaveLength(20);
    const newest = (await user.client.post<Subscription>(PATH, await newSubscription())).json;
    expect((await listed(user.client)).at(-1)).toEqual(newest);
    expect(await listed(user.client)).toHaveLength(20);
  });

  test.each([
    ['http', { endpoint: 'http://push.example.com/a' }],
    ['a private address', { endpoint: 'https://10.0.0.1/a' }],
    ['credentials', { endpoint: 'https://user:pass@push.example.com/a' }],
    ['an endpoint without end', { endpoint: `https://push.example.com/${'a'.repeat(2_000)}` }],
    ['letters that an index would not hold', { endpoint: `https://push.example.com/${'ж'.repeat(1_900)}` }],
    ['a key that is no point', { p256dh: `B${'A'.repeat(86)}` }],
    ['a key that is too short', { p256dh: 'BA' }],
    ['a secret that is too long', { auth: 'A'.repeat(23) }],
  ])('rejects %s', async (_what, changed) => {
    const { client } = await registerUser(served.url);
    expect((await client.post(PATH, { ...(await newSubscription()), ...changed })).status).toBe(422);
  });

  test('is for signed-in people: an API key has no browser', async () => {
    const { client } = await registerUser(served.url);
    const { json } = await client.post<{ key: string }>('/api/users/me/api-keys', { name: 'nightly' });
    expect((await client.as(json.key).post(PATH, await newSubscription())).status).toBe(403);
  });
});

describe('a subscription', () => {
  test('ends with the sign-in of its browser, however that ends', async () => {
    const user = await registerUser(served.url);
    const second = await signedIn(user);
    await second.post(PATH, await newSubscription());
    await second.post('/api/auth/logout');
    expect(await listed(user.client)).toEqual([]);
    await (await signedIn(user)).post(PATH, await newSubscription());
    await user.client.delete('/api/users/me/sessions');
    expect(await listed(user.client)).toEqual([]);
  });

  test('ends when somebody else signs in to the browser', async () => {
    const [ada, grace] = [await registerUser(served.url), await registerUser(served.url)];
    const page = new ApiClient(served.url);
    const signIn = async ({ email, password }: TestUser, cookie: string) => {
      const headers = { 'sec-fetch-site': 'same-origin', cookie };
      const answer = await page.post<{ access_token: string }>(
        '/api/auth/browser-session',
        { email, password },
        headers,
      );
      return { client: page.as(answer.json.access_token), cookie: answer.headers.getSetCookie()[0]?.split(';')[0] };
    };
    const first = await signIn(ada, '');
    await first.client.post(PATH, await newSubscription());
    expect(await listed(ada.client)).toHaveLength(1);
    await signIn(grace, first.cookie ?? '');
    expect(await listed(ada.client)).toEqual([]);
  });

  test('is deleted by its user alone', async () => {
    const [ada, grace] = [await registerUser(served.url), await registerUser(served.url)];
    const { id } = (await ada.client.post<Subscription>(PATH, await newSubscription())).json;
    expect((await grace.client.delete(`${PATH}/${id}`)).status).toBe(404);
    expect((await ada.client.delete(`${PATH}/${id}`)).status).toBe(204);
    expect(await listed(ada.client)).toEqual([]);
  });
});

test('the key of the installation is made once, also by several who ask at once, and outlives SECRET_KEY', async () => {
  const { database } = served.api;
  await database.system.query('update installation set push_key = null');
  const { client } = await registerUser(served.url);
  const read = async () => (await client.get<{ public_key: string }>('/api/users/me/push-key')).json.public_key;
  const keys = new Set(await Promise.all(Array.from({ length: 8 }, read)));
  expect(keys.size).toBe(1);
  const LATER_KEY = 'the key that follows the one of the tests';
  await encryptAnew(database, new SecretBox([LATER_KEY, TEST_SECRET_KEY]));
  expect(keys).toContain((await readPushKey(database, new SecretBox([LATER_KEY]))).publicKey);
  await encryptAnew(database, new SecretBox([TEST_SECRET_KEY, LATER_KEY]));
});
