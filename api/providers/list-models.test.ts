import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createProvider, registerUser } from '../../test/support/factories.ts';
import { registerColleague } from '../../test/support/people.ts';
import { startTestInstance, type TestInstance } from '../../test/support/test-instance.ts';

let instance: TestInstance;
beforeAll(async () => {
  instance = await startTestInstance();
}, 120_000);
afterAll(async () => instance.close());

test('an account tells the models that its provider offers, to those who manage it', async () => {
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
