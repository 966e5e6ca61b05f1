import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { keyIdOf } from '../db/core/secret-box.ts';
import { ApiClient } from '../test/support/api-client.ts';
import { createProvider, registerUser } from '../test/support/factories.ts';
import { serveTestApi } from '../test/support/serve-test-api.ts';
import { startTestApi, TEST_SECRET_KEY, type TestApi } from '../test/support/test-api.ts';

const LATER_KEY = 'the key that follows the one of the tests';
const FIRST = `Key 1 of SECRET_KEY (${keyIdOf(LATER_KEY)}), which encrypts and signs`;
const FORMER = `Key 2 of SECRET_KEY (${keyIdOf(TEST_SECRET_KEY)})`;

const served = serveTestApi({ isOwn: true });

async function rotate(keys: readonly string[], ...args: readonly string[]) {
  return promisify(execFile)(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', 'operator/rotate-key.ts', ...args],
    { env: { DATABASE_URL: served.api.database.url, SECRET_KEY: keys.join(',') } },
  );
}

/** Serves the same database with other keys. */
async function withKeys<T>(secretKeys: readonly [string, ...string[]], use: (api: TestApi) => Promise<T>): Promise<T> {
  const api = await startTestApi({
    databaseUrl: served.api.database.url,
    temporalAddress: '127.0.0.1:1',
    secretKeys,
  });
  try {
    return await use(api);
  } finally {
    await api.close();
  }
}

async function refresh(api: TestApi, refreshToken: string) {
  return new ApiClient(api.url).post<{ refresh_token: string }>('/api/auth/refresh', { refresh_token: refreshToken });
}

test('rotate-key reports what needs a former key until nothing does, when the service runs without it and nobody is signed out', async () => {
  const user = await registerUser(served.url);
  await createProvider(user.client, 'https://models.example.com');
  const keys = [LATER_KEY, TEST_SECRET_KEY] as const;
  const day = new Date(Date.now() + 30 * 24 * 3_600_000).toISOString().slice(0, 10);

  expect((await rotate(keys, '--count')).stdout).toBe(
    `${FIRST}: nothing needs it.\n${FORMER}: provider accounts (1), sessions (1, the last until ${day}).\n`,
  );
  const rotated = await rotate(keys);
  expect(rotated.stderr).toBe('provider accounts: 1 re-encrypted\n');
  expect(rotated.stdout).toBe(`${FIRST}: provider accounts (1).\n${FORMER}: sessions (1, the last until ${day}).\n`);
  const { json } = await withKeys(keys, async (api) => refresh(api, user.refreshToken));
  expect((await rotate(keys, '--count')).stdout).toBe(
    `${FIRST}: provider accounts (1), sessions (1, the last until ${day}).\n${FORMER}: nothing needs it.\n`,
  );
  const alone = await withKeys([LATER_KEY], async (api) => refresh(api, json.refresh_token));
  expect(alone.status).toBe(200);
});

test('rotate-key names keys that are missing, and leaves what they have encrypted as it is', async () => {
  const user = await registerUser(served.url);
  await createProvider(user.client, 'https://models.example.com');
  const { stdout, stderr } = await rotate(['a key that nothing was ever encrypted with']);
  expect(stderr).toMatch(/^provider accounts: 0 re-encrypted; \d cannot be decrypted and stay as they are\n$/);
  expect(stdout).toContain(
    `A key that SECRET_KEY lacks (${keyIdOf(TEST_SECRET_KEY)}): provider accounts (1), sessions`,
  );
  await expect(rotate([LATER_KEY], '--counts')).rejects.toThrow('Usage: node operator/rotate-key.ts [--count]');
});
