import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { inOrg } from '../../db/core/index.ts';
import { coolDownAccount, disableAccount, getProviderAccount } from '../../db/providers/index.ts';
import { createProvider, registerUser } from '../../test/support/factories.ts';
import { startTestInstance, type TestInstance } from '../../test/support/test-instance.ts';

let instance: TestInstance;
beforeAll(async () => {
  instance = await startTestInstance();
}, 120_000);
afterAll(async () => instance.close());

/** An account that cools down and is disabled, at the given address. */
async function createTroubled(path: string) {
  const { database } = instance.api;
  const { client, orgId } = await registerUser(instance.api.url);
  const accountId = await createProvider(client, `${instance.model.url}${path}`);
  const { credentials } = await inOrg(database, orgId, (em) => getProviderAccount(em, accountId));
  await coolDownAccount(database, { orgId, accountId, untilMs: Date.now() + 600_000 });
  await disableAccount(database, { orgId, accountId, credentials, reason: 'The key was refused' });
  const shown = async () => (await client.get<unknown[]>('/api/providers')).json;
  const tried = await client.post(`/api/providers/${accountId}/test`);
  return { tried, shown };
}

describe('POST /api/providers/{provider_id}/test', () => {
  test('makes a disabled account active when it answers', async () => {
    const { tried, shown } = await createTroubled('');
    expect([tried.status, tried.json]).toMatchObject([200, { ok: true }]);
    expect(await shown()).toMatchObject([{ status: 'active', cooldown_until: null, disabled_reason: null }]);
  });

  test('leaves a disabled account as it is when it does not answer', async () => {
    const { tried, shown } = await createTroubled('/nowhere');
    expect([tried.status, tried.json]).toMatchObject([200, { ok: false }]);
    expect(await shown()).toMatchObject([{ status: 'disabled', disabled_reason: 'The key was refused' }]);
  });
});
