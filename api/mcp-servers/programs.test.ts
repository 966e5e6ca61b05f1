import { beforeAll, expect, test } from '@jest/globals';
import { registerUser, type TestUser } from '../../test/support/factories.ts';
import { registerColleague } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

type Fields = Record<string, unknown>;

const command = ['/usr/bin/node', '/opt/mcp/server.js'];
const mcpCatalog = JSON.stringify({
  files: { name: 'Files', description: 'Keeps files.', command },
  tracker: { name: 'Tracker', command, secret_variable: 'TRACKER_TOKEN', network: true },
});
const served = serveTestApi({ mcpCatalog });
let user: TestUser;
beforeAll(async () => {
  user = await registerUser(served.url);
});

const add = async (fields: Fields, by: TestUser = user) =>
  by.client.post<Fields>('/api/mcp-servers', { name: 'Server', ...fields });

test('the programs of the operator are listed, with what keeps them from being started, and without commands', async () => {
  const { status, json } = await user.client.get('/api/mcp-servers/catalog');
  const away = { available: false, reason: 'no worker is running' };
  expect([status, json]).toEqual([
    200,
    [
      {
        url: 'stdio:files',
        name: 'Files',
        description: 'Keeps files.',
        takes_secret: false,
        network: false,
        ...away,
      },
      { url: 'stdio:tracker', name: 'Tracker', description: '', takes_secret: true, network: true, ...away },
    ],
  ]);
});

test('a server is one of them by its url, with a secret where it takes one', async () => {
  expect((await add({ url: 'stdio:files' })).json).toMatchObject({ url: 'stdio:files', has_credentials: false });
  const secret = { auth_type: 'bearer', auth_value: 'a-token' };
  const { json } = await add({ url: 'stdio:tracker', ...secret });
  expect(json).toMatchObject({ url: 'stdio:tracker', has_credentials: true });
  const path = `/api/mcp-servers/${String(json['id'])}`;
  expect((await user.client.patch(path, { config: { timeout_seconds: 5 } })).status).toBe(200);
  expect((await user.client.patch(path, { url: 'stdio:files' })).status).toBe(422);
  const plain = { url: 'stdio:files', auth_type: 'none' };
  expect((await user.client.patch<Fields>(path, plain)).json).toMatchObject({ has_credentials: false });
});

test.each<[Fields]>([
  [{ url: 'stdio:gone' }],
  [{ url: 'stdio:' }],
  [{ url: 'stdio:__proto__' }],
  [{ url: 'stdio:/usr/bin/id' }],
  [{ url: 'STDIO:files' }],
  [{ url: 'stdio://files' }],
  [{ url: 'file:///usr/bin/id' }],
  [{ url: 'unix:/run/x.sock' }],
  [{ url: 'stdio:files', auth_type: 'bearer', auth_value: 'a-token' }],
  [{ url: 'stdio:tracker' }],
  [{ url: 'stdio:tracker', auth_type: 'bearer' }],
  [{ url: 'stdio:files', config: { headers: { 'X-A': 'b' } } }],
  [{ url: 'stdio:files', config: { transport: 'http' } }],
  [{ url: 'stdio:files', config: { command: 'id' } }],
  [{ url: 'stdio:files', config: { args: ['-c'] } }],
  [{ url: 'stdio:files', config: { env: { A: 'b' } } }],
  [{ url: 'stdio:files', config: { oauth: { cwd: '/' } } }],
  [{ url: 'stdio:files', command: 'id' }],
])('%j is refused', async (fields) => {
  expect((await add(fields)).status).toBe(422);
});

test('only administrators add one, or turn another server into one', async () => {
  const member = await registerColleague(served.api, user, 'member');
  expect((await add({ url: 'stdio:files' }, member)).status).toBe(403);
  const { json } = await add({ url: 'https://mcp.example.com/mcp' }, member);
  const path = `/api/mcp-servers/${String(json['id'])}`;
  expect((await member.client.patch(path, { url: 'stdio:files' })).status).toBe(403);
  expect((await member.client.get(path)).json).toMatchObject({ url: 'https://mcp.example.com/mcp' });
  expect((await member.client.get('/api/mcp-servers/catalog')).status).toBe(200);
});
