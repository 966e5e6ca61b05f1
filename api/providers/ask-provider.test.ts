import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { purgeCredentials } from '../../db/auth.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { coolDownAccount, disableAccount } from '../../db/providers/account-condition.ts';
import { getProviderAccount } from '../../db/providers/provider-accounts.ts';
import { createProvider, registerUser } from '../../test/support/factories.ts';
import { registerColleague } from '../../test/support/people.ts';
import { startTestInstance, type TestInstance } from '../../test/support/test-instance.ts';

describe('list models', () => {
  let instance: TestInstance;
  beforeAll(async () => {
    instance = await startTestInstance();
  });
  afterAll(async () => instance.close());

  test('an account lists the models that its provider offers, to those who manage it', async () => {
    const owner = await registerUser(instance.api.url);
    const id = await createProvider(owner.client, instance.model.url, { model_name: 'other', shared: true });
    const answer = await owner.client.get(`/api/providers/${id}/models`);
    expect([answer.status, answer.json]).toMatchObject([
      200,
      expect.arrayContaining([{ id: expect.any(String), name: null }]),
    ]);
    const member = await registerColleague(instance.api, owner, 'member');
    expect((await member.client.get(`/api/providers/${id}/models`)).status).toBe(403);
  });

  test('an account whose provider has no list says so', async () => {
    const { client } = await registerUser(instance.api.url);
    const id = await createProvider(client, `${instance.model.url}/nowhere`);
    const answer = await client.get(`/api/providers/${id}/models`);
    expect([answer.status, answer.json]).toMatchObject([
      502,
      { detail: expect.stringContaining('has no list of models at this address (HTTP 404)') },
    ]);
  });
});

describe('test provider', () => {
  let instance: TestInstance;
  beforeAll(async () => {
    instance = await startTestInstance();
  });
  afterAll(async () => instance.close());

  /** Creates an account that cools down and is disabled, at the given address. */
  async function createUnhealthy(path: string) {
    const { database } = instance.api;
    const { client, orgId } = await registerUser(instance.api.url);
    const accountId = await createProvider(client, `${instance.model.url}${path}`);
    const { credentials } = await withOrgTransaction(database, orgId, (em) => getProviderAccount(em, accountId));
    await coolDownAccount(database, { orgId, accountId, untilMs: Date.now() + 600_000 });
    await disableAccount(database, { orgId, accountId, credentials, reason: 'The key was refused' });
    const shown = async () => (await client.get<unknown[]>('/api/providers')).json;
    const tried = await client.post(`/api/providers/${accountId}/test`);
    return { tried, shown };
  }

  describe('POST /api/providers with test', () => {
    const add = async (path: string) => {
      const { client, orgId } = await registerUser(instance.api.url);
      const body = {
        provider_type: 'openai-compatible',
        name: 'Tried',
        base_url: `${instance.model.url}${path}`,
        model_name: 'scripted-1',
        credentials: { api_key: 'sk-test-0123456789abcdef' },
        test: true,
      };
      return { client, orgId, answer: await client.post<Record<string, unknown>>('/api/providers', body) };
    };

    test('keeps an account that answers', async () => {
      const { client, answer } = await add('');
      expect([answer.status, answer.json]).toMatchObject([201, { name: 'Tried', status: 'active' }]);
      expect((await client.get('/api/providers')).json).toEqual([answer.json]);
    });

    test('says why an account does not answer, and keeps nothing of it', async () => {
      const { client, orgId, answer } = await add('/nowhere');
      expect([answer.status, answer.json]).toMatchObject([
        422,
        { detail: [{ type: 'provider_failed', loc: ['body'], msg: expect.stringContaining('Tried') }] },
      ]);
      for (const query of ['', '?deleted=true']) expect((await client.get(`/api/providers${query}`)).json).toEqual([]);
      const { system } = instance.api.database;
      expect((await system.query('select from provider_accounts where org_id = $1', [orgId])).rowCount).toBe(0);
    });
  });

  describe('an account that is tried', () => {
    test('is seen, restored, changed and removed by nobody until it is kept', async () => {
      const { client, orgId } = await registerUser(instance.api.url);
      const id = await createProvider(client, instance.model.url);
      const { system } = instance.api.database;
      await system.query('update provider_accounts set is_tentative = true, deleted_at = now() where id = $1', [id]);
      const path = `/api/providers/${id}`;
      const answers = [
        await client.get(path),
        await client.patch(path, { name: 'Mine' }),
        await client.patch(`${path}/restore`),
        await client.delete(path),
        await client.delete(`${path}/purge`),
        await client.post(`${path}/test`),
      ];
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
      expect((await client.get('/api/providers?deleted=true')).json).toEqual([]);
      await system.query("update provider_accounts set created_at = now() - interval '11 minutes' where id = $1", [id]);
      await purgeCredentials(instance.api.database);
      expect((await system.query('select from provider_accounts where org_id = $1', [orgId])).rowCount).toBe(0);
    });
  });

  describe('POST /api/providers/{provider_id}/test', () => {
    test('makes a disabled account active when it answers', async () => {
      const { tried, shown } = await createUnhealthy('');
      expect([tried.status, tried.json]).toMatchObject([200, { ok: true }]);
      expect(await shown()).toMatchObject([
        { status: 'active', cooldown_until: null, disabled_reason: null, last_failure: null },
      ]);
    });

    test('leaves a disabled account as it is when it does not answer, and keeps why', async () => {
      const { tried, shown } = await createUnhealthy('/nowhere');
      expect([tried.status, tried.json]).toMatchObject([200, { ok: false }]);
      const { error: lastFailure } = tried.json as { error: string };
      expect(await shown()).toMatchObject([
        { status: 'disabled', disabled_reason: 'The key was refused', last_failure: lastFailure },
      ]);
    });
  });
});
