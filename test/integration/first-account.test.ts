import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ApiClient } from '../support/api-client.ts';
import { type ApiProcess, startApiProcess } from '../support/api-process.ts';
import { newEmail } from '../support/invitations.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { waitUntil } from '../support/wait-until.ts';

interface Registered {
  readonly access_token: string;
  readonly detail: string;
}

let database: TestDatabase;
let one: ApiProcess;
let other: TestApi;
beforeEach(async () => {
  database = await createTestDatabase();
  one = await startApiProcess(database.url, { registration: 'invite', logLevel: 'info' });
  other = await startTestApi({ databaseUrl: database.url, temporalAddress: '127.0.0.1:1', registration: 'invite' });
});
afterEach(async () => {
  await Promise.all([one.kill(), other.close()]);
  await database.drop();
});

test('an empty server is entered once with the token that an api process has logged, through whichever api', async () => {
  // Its answers may arrive before what it has logged.
  const setup_token = await waitUntil(
    'the token',
    () => /\/register\?setup_token=(?<token>et_setup_[0-9a-f]{48})"/.exec(one.log())?.groups?.['token'],
  );
  const answers = await Promise.all(
    Array.from({ length: 12 }, async (_, at) =>
      new ApiClient((at % 2 === 0 ? one : other).url).post<Registered>('/api/auth/register', {
        email: newEmail(),
        password: 'correct horse battery',
        setup_token,
      }),
    ),
  );
  const [first, ...further] = answers.toSorted((a, b) => a.status - b.status);
  expect(first?.status).toBe(201);
  expect((await new ApiClient(other.url, first?.json.access_token).get('/api/agents')).status).toBe(200);
  const used = 'This server is already set up; the setup token only works for the first account';
  expect(further.map(({ status, json }) => [status, json.detail])).toEqual(further.map(() => [403, used]));
});
