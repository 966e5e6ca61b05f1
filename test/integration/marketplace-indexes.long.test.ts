import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { registerUser, type TestUser } from '../support/factories.ts';
import { IndexServer, sampleItem } from '../support/index-server.ts';
import { startOwnInstance, type OwnInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

type Fields = Record<string, unknown>;

let server: IndexServer;
let instance: OwnInstance;
let user: TestUser;
beforeAll(async () => {
  server = await IndexServer.start();
  const prompt = {
    'agents/helper/PROMPT.md': 'Help.',
    'agents/helper/agent.json': '{"name":"Helper","description":"Helps"}',
  };
  server.offer(await sampleItem({ slug: 'helper', kind: 'agent', files: prompt }));
  const marketplaceIndexes = `${server.url}/index.json`;
  instance = await startOwnInstance({ marketplaceIndexes, openPorts: [server.port] });
  user = await registerUser(instance.api.url);
});
afterAll(async () => {
  await instance.close();
  server.close();
});

const helper = async () => (await user.client.get<Fields>('/api/marketplace/helper')).json;

test('an index is fetched when a worker starts, and its items outlast its server and all processes', async () => {
  await waitUntil('the item to be offered', async () => ((await helper())['version'] === '1.0.0' ? true : undefined));
  const install = await user.client.post<{ records: Fields[] }>('/api/marketplace/helper/install');
  expect(install.json.records).toMatchObject([{ kind: 'agent', outcome: 'created' }]);
  server.answers.clear();
  const other = await instance.addApi();
  const again = await registerUser(other.url);
  expect((await again.client.get<Fields>('/api/marketplace/helper')).json).toMatchObject({ version: '1.0.0' });
});

test('an index is fetched again when somebody asks', async () => {
  const prompt = {
    'agents/helper/PROMPT.md': 'Help more.',
    'agents/helper/agent.json': '{"name":"Helper","description":"Helps"}',
  };
  server.offer(await sampleItem({ slug: 'helper', version: '1.1.0', kind: 'agent', files: prompt }));
  // As if the last time were longer ago.
  await instance.api.database.system.query("update marketplace_indexes set checked_at = now() - interval '1 hour'");
  expect((await user.client.post('/api/marketplace-indexes/refresh')).status).toBe(200);
  await waitUntil('the newer version', async () => ((await helper())['version'] === '1.1.0' ? true : undefined));
  expect(await helper()).toMatchObject({ installed: { version: '1.0.0', can_upgrade: true } });
});
