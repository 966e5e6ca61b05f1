import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { withOrgTransaction } from '../core/transactions.ts';
import { createProvider, registerUser, type TestUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import {
  clearAccount,
  clearFailure,
  coolDownAccount,
  disableAccount,
  noteFailure,
  touchAccount,
} from './account-condition.ts';
import { getProviderAccount, lockProviderAccount } from './provider-accounts.ts';

const served = serveTestApi();
const SOON = Date.now() + 3_600_000;
let owner: TestUser;
let stranger: TestUser;
let accountId: string;

beforeAll(async () => {
  owner = await registerUser(served.url);
  stranger = await registerUser(served.url);
});
beforeEach(async () => {
  accountId = await createProvider(owner.client, 'https://models.example.com/v1');
});

const database = () => served.api.database;
const ref = () => ({ orgId: owner.orgId, accountId });
const foreign = () => ({ orgId: stranger.orgId, accountId });
const stored = () => withOrgTransaction(database(), owner.orgId, (em) => getProviderAccount(em, accountId));
const shown = async () =>
  (await owner.client.get<{ id: string }[]>('/api/providers')).json.find(({ id }) => id === accountId);

const ACTIVE = { status: 'active', cooldown_until: null, disabled_reason: null };

describe('coolDownAccount', () => {
  test('shows the account as cooling down until then, and as active when that is over', async () => {
    expect(await shown()).toMatchObject(ACTIVE);
    await coolDownAccount(database(), { ...ref(), untilMs: Date.now() - 1_000 });
    expect(await shown()).toMatchObject(ACTIVE);
    await coolDownAccount(database(), { ...ref(), untilMs: SOON });
    expect(await shown()).toMatchObject({ status: 'cooling_down', cooldown_until: new Date(SOON).toISOString() });
  });

  test('never shortens a rest', async () => {
    await coolDownAccount(database(), { ...ref(), untilMs: SOON });
    await coolDownAccount(database(), { ...ref(), untilMs: SOON - 30_000 });
    expect((await stored()).cooldownUntil?.getTime()).toBe(SOON);
  });
});

describe('disableAccount', () => {
  test('shows the first reason', async () => {
    const { credentials } = await stored();
    await disableAccount(database(), { ...ref(), credentials, reason: 'The key was refused' });
    await disableAccount(database(), { ...ref(), credentials, reason: 'Another reason' });
    expect(await shown()).toMatchObject({ status: 'disabled', disabled_reason: 'The key was refused' });
  });

  test('leaves an account alone whose credentials have been replaced since', async () => {
    const { credentials } = await stored();
    await owner.client.patch(`/api/providers/${accountId}`, { credentials: { api_key: 'sk-2' } });
    await disableAccount(database(), { ...ref(), credentials, reason: 'The key was refused' });
    expect(await shown()).toMatchObject(ACTIVE);
  });

  test('disables an account without credentials', async () => {
    await owner.client.patch(`/api/providers/${accountId}`, { auth_type: 'none', credentials: {} });
    await disableAccount(database(), { ...ref(), credentials: null, reason: 'A key is needed' });
    expect(await shown()).toMatchObject({ status: 'disabled' });
  });
});

describe('noteFailure', () => {
  const FAILING = { status: 'active', last_failure: 'It did not answer', last_failed_at: expect.any(String) };
  const WELL = { ...ACTIVE, last_failure: null, last_failed_at: null };
  const fail = async (reason = 'It did not answer') => {
    const { credentials } = await stored();
    await noteFailure(database(), { ...ref(), credentials, reason });
  };

  test('shows the failure of an account that continues to be used, until a call succeeds', async () => {
    expect(await shown()).toMatchObject(WELL);
    await fail();
    expect(await shown()).toMatchObject(FAILING);
    await clearFailure(database(), ref());
    expect(await shown()).toMatchObject(WELL);
  });

  test('writes once of many failures that come together', async () => {
    await fail();
    await fail('It did not answer again');
    expect(await shown()).toMatchObject(FAILING);
    const { system } = database();
    await system.query("update provider_accounts set last_failed_at = now() - interval '11 seconds' where id = $1", [
      accountId,
    ]);
    await fail('It did not answer again');
    expect(await shown()).toMatchObject({ last_failure: 'It did not answer again' });
  });

  test('leaves an account alone whose credentials have been replaced since', async () => {
    const { credentials } = await stored();
    await owner.client.patch(`/api/providers/${accountId}`, { credentials: { api_key: 'sk-2' } });
    await noteFailure(database(), { ...ref(), credentials, reason: 'It did not answer' });
    expect(await shown()).toMatchObject(WELL);
  });

  test.each([
    { credentials: { api_key: 'sk-2' } },
    { credentials: { api_key: 'sk-2' }, base_url: 'https://elsewhere.example.com/v1' },
    { model_name: 'another-model' },
  ])('is a thing of the past with %j', async (changes) => {
    await fail();
    expect((await owner.client.patch(`/api/providers/${accountId}`, changes)).json).toMatchObject(WELL);
  });

  test('stays with another name', async () => {
    await fail();
    const { json } = await owner.client.patch(`/api/providers/${accountId}`, { name: 'Renamed' });
    expect(json).toMatchObject(FAILING);
  });
});

describe('an account that cools down and is disabled', () => {
  beforeEach(async () => {
    const { credentials } = await stored();
    await coolDownAccount(database(), { ...ref(), untilMs: SOON });
    await disableAccount(database(), { ...ref(), credentials, reason: 'The key was refused' });
  });

  test.each([
    { credentials: { api_key: 'sk-2' } },
    { credentials: { api_key: 'sk-2' }, base_url: 'https://elsewhere.example.com/v1' },
  ])('is active again with %j', async (changes) => {
    expect((await owner.client.patch(`/api/providers/${accountId}`, changes)).json).toMatchObject(ACTIVE);
    expect(await shown()).toMatchObject(ACTIVE);
  });

  test.each([{ name: 'Renamed' }, { base_url: 'https://models.example.com/v1' }, { cooldown_seconds: 0 }])(
    'stays so with %j',
    async (changes) => {
      const answer = await owner.client.patch(`/api/providers/${accountId}`, changes);
      expect([answer.status, answer.json]).toMatchObject([200, { status: 'disabled' }]);
    },
  );

  test('is active again when it is cleared', async () => {
    await clearAccount(database(), ref());
    expect(await shown()).toMatchObject(ACTIVE);
  });
});

describe('touchAccount', () => {
  test('notes the use', async () => {
    const before = Date.now() - 1_000;
    await touchAccount(database(), ref());
    expect((await stored()).lastUsedAt?.getTime()).toBeGreaterThan(before);
  });

  test('does not wait for a lock on the row', async () => {
    await withOrgTransaction(database(), owner.orgId, async (em) => {
      await lockProviderAccount(em, accountId);
      await touchAccount(database(), ref());
    });
    expect((await stored()).lastUsedAt).toBeNull();
  });
});

test("nothing is done to another organization's account", async () => {
  const { credentials } = await stored();
  const before = await shown();
  await coolDownAccount(database(), { ...foreign(), untilMs: SOON });
  await disableAccount(database(), { ...foreign(), credentials, reason: 'The key was refused' });
  await noteFailure(database(), { ...foreign(), credentials, reason: 'It did not answer' });
  await touchAccount(database(), foreign());
  expect(await shown()).toEqual(before);
  await coolDownAccount(database(), { ...ref(), untilMs: SOON });
  await noteFailure(database(), { ...ref(), credentials, reason: 'It did not answer' });
  await clearAccount(database(), foreign());
  await clearFailure(database(), foreign());
  expect(await shown()).toMatchObject({ status: 'cooling_down', last_failure: 'It did not answer' });
});
