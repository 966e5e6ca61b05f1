import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ApiClient } from '../support/api-client.ts';
import { type ApiProcess, startApiProcess } from '../support/api-process.ts';
import { newEmail } from '../support/invitations.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

interface Registered {
  readonly access_token: string;
  readonly detail: string;
}

let database: TestDatabase;
let apis: ApiProcess[];
beforeEach(async () => {
  database = await createTestDatabase();
  apis = [];
});
afterEach(async () => {
  await Promise.all(apis.map(async (api) => api.kill()));
  await database.drop();
});

async function start(registration: 'open' | 'invite'): Promise<ApiProcess> {
  const api = await startApiProcess(database.url, { registration, logLevel: 'info' });
  apis.push(api);
  return api;
}

const tokenIn = (api: ApiProcess) =>
  /\/register\?setup_token=(?<token>et_setup_[0-9a-f]{48})"/.exec(api.log())?.groups?.['token'];

const register = async (api: ApiProcess, body: Record<string, unknown>) =>
  new ApiClient(api.url).post<Registered>('/api/auth/register', {
    email: newEmail(),
    password: 'correct horse battery',
    ...body,
  });

test('an empty server is entered once with the token in the logs of its api processes, whoever is first', async () => {
  const [one, other] = [await start('invite'), await start('invite')];
  const setup_token = tokenIn(one);
  expect([setup_token, tokenIn(other)]).toEqual([expect.any(String), setup_token]);

  const answers = await Promise.all(
    Array.from({ length: 12 }, async (_, at) => register(at % 2 === 0 ? one : other, { setup_token })),
  );
  const [first, ...further] = answers.toSorted((a, b) => a.status - b.status);
  expect(first?.status).toBe(201);
  expect((await new ApiClient(other.url, first?.json.access_token).get('/api/agents')).status).toBe(200);
  const used = 'This server is already set up; the setup token only works for the first account';
  expect(further.map(({ status, json }) => [status, json.detail])).toEqual(further.map(() => [403, used]));

  const again = await start('invite');
  expect(again.log()).toContain('api is ready');
  expect(again.log()).not.toContain('et_setup_');
  expect((await register(again, { setup_token })).json.detail).toBe(used);
});

test('no token is logged or needed where registration is open', async () => {
  const api = await start('open');
  expect(api.log()).toContain('api is ready');
  expect(api.log()).not.toContain('et_setup_');
  expect((await register(api, {})).status).toBe(201);
});
