import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { reportWorker } from '../../db/workers.ts';
import type { Lacking } from '../../domain/tools/needs.ts';
import { createAgent, registerUser, type TestUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

const served = serveTestApi();
let user: TestUser;
beforeAll(async () => {
  user = await registerUser(served.url);
});
beforeEach(async () => {
  await served.api.database.system.query('delete from workers');
});

interface Shown {
  readonly id: string;
  readonly key: string;
}

const report = async (lacks: Lacking) =>
  reportWorker(served.api.database, randomUUID(), { lacks, workspaceFreeBytes: null });

async function shown(key: string): Promise<Shown | undefined> {
  const { json } = await user.client.get<readonly Shown[]>('/api/tools?limit=200');
  return json.find((tool) => tool.key === key);
}

describe('a tool that needs something of the workers', () => {
  test('is available once all of them have it', async () => {
    expect(await shown('shell_run')).toMatchObject({ usable: true, available: false, reason: 'no worker is running' });
    await report({});
    expect(await shown('shell_run')).toMatchObject({ usable: true, available: true, reason: null });
    await report({ sandbox: 'bubblewrap is missing' });
    const tool = await shown('shell_run');
    expect(tool).toMatchObject({ usable: true, problem: null, available: false, reason: 'bubblewrap is missing' });
    expect((await user.client.get(`/api/tools/${tool?.id}`)).json).toEqual(tool);
  });

  test('is named by agents that do not get it, and is in nothing that they get', async () => {
    await report({ sandbox: 'bubblewrap is missing' });
    const id = await createAgent(user.client, { name: 'Builder', tools: ['shell_run', 'time_now'] });
    expect((await user.client.get(`/api/agents/${id}`)).json).toMatchObject({
      missing: { tools: [], unusable_tools: [{ key: 'shell_run', problem: 'bubblewrap is missing' }] },
    });
    const { json } = await user.client.get<{ tools: readonly { name: string }[] }>(`/api/agents/${id}/prompt`);
    expect(json.tools.map(({ name }) => name)).toEqual(['time_now']);
  });
});

test('a tool that needs an integration is available once the organization has one of a fitting kind', async () => {
  const { client } = user;
  const tool = await shown('web_search');
  const reason = expect.stringContaining('an integration with Brave Search, ');
  expect(tool).toMatchObject({ usable: true, problem: null, available: false, reason });
  expect((await client.get(`/api/tools/${tool?.id}`)).json).toEqual(tool);
  const id = await createAgent(client, { name: 'Searcher', tools: ['web_search', 'time_now'] });
  const agent = async () => (await client.get(`/api/agents/${id}`)).json;
  const offered = async () => {
    const { json } = await client.get<{ tools: readonly { name: string }[] }>(`/api/agents/${id}/prompt`);
    return json.tools.map(({ name }) => name);
  };
  expect(await agent()).toMatchObject({ missing: { unusable_tools: [{ key: 'web_search', problem: reason }] } });
  expect(await offered()).toEqual(['time_now']);

  const address = 'https://search.example.com';
  await client.post('/api/integrations', { kind: 'searxng', name: 'Search', base_url: address, credentials: {} });
  expect(await shown('web_search')).toMatchObject({ available: true, reason: null });
  expect(await agent()).toMatchObject({ missing: { unusable_tools: [] } });
  expect(await offered()).toEqual(['web_search', 'time_now']);
});

test('other tools are available without any worker', async () => {
  expect(await shown('time_now')).toMatchObject({ usable: true, problem: null, available: true, reason: null });
});
