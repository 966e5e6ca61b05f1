import { beforeAll, describe, expect, test } from '@jest/globals';
import { createAgent, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { lastingIds } from './make-records.ts';
import { fill } from './path-ids.ts';
import { routesThat } from './route-list.ts';

const CANARY = 'sk-canary-7d1f0c55e2a94b6c';
// Looks at what is stored of everybody.
const served = serveTestApi({ isOwn: true });
let user: TestUser;
let secrets: string[];

beforeAll(async () => {
  user = await registerUser(served.url);
  await createProvider(user.client, 'https://models.example.com/v1', {
    credentials: { api_key: CANARY, more: [CANARY] },
  });
  const server = { name: 'Canary', url: 'https://mcp.example.com/mcp', auth_type: 'bearer', auth_value: CANARY };
  await user.client.post('/api/mcp-servers', server);
  const integration = { kind: 'http', name: 'Canary', base_url: 'https://tracker.example.com' };
  await user.client.post('/api/integrations', { ...integration, credentials: { api_key: CANARY } });
  await user.client.post('/api/projects', { name: 'Canary', webhook_secret: CANARY });
  const agent_id = await createAgent(user.client);
  await user.client.post('/api/workflows', { name: 'Canary', agent_id, prompt_template: 'x', webhook_secret: CANARY });
  await user.client.post('/api/workflows', {
    name: 'Canary',
    agent_id,
    prompt_template: 'x',
    notify_url: 'https://hooks.example.com/canary',
    notify_secret: CANARY,
  });
  const chat = await user.client.post<{ id: string }>('/api/chats', { agent_id });
  const webhook = { url: 'https://hooks.example.com/canary', secret: CANARY };
  await user.client.patch(`/api/chats/${chat.json.id}/webhook`, webhook);
  const key = await user.client.post<{ key: string }>('/api/users/me/api-keys', { name: 'canary' });
  const { rows } = await served.api.database.system.query<{ hash: string }>(
    `select hash from user_passwords where user_id = $1
      union all select encode(secret_hash, 'hex') from api_keys union all select encode(credentials, 'hex') from provider_accounts
      union all select encode(auth_value, 'hex') from mcp_servers union all select encode(credentials, 'hex') from integrations
      union all select encode(webhook_secret, 'hex') from projects
      union all select encode(secret, 'hex') from webhook_targets
      union all select encode(webhook_secret, 'hex') from agent_workflows where webhook_secret is not null`,
    [user.id],
  );
  const stored = rows.map(({ hash }) => hash);
  const base64 = Buffer.from(CANARY).toString('base64').replaceAll('=', '');
  secrets = [CANARY, base64, key.json.key, user.password, user.accessToken, user.refreshToken, ...stored];
});

/** The texts that no answer may hold and this one does. */
const leaksIn = (text: string) => secrets.filter((secret) => text.includes(secret));

describe.each(routesThat(({ method, response }) => method === 'get' && response.stream === undefined))(
  '$title',
  ({ route }) => {
    test('shows no secret', async () => {
      const path = fill(route, await lastingIds(route, served.api, user));
      const { json, headers } = await user.client.get(path);
      expect(leaksIn(JSON.stringify([json, ...headers]))).toEqual([]);
    });
  },
);

describe('a provider account', () => {
  test('is stored without its credentials in clear', async () => {
    const { rows } = await served.api.database.system.query<{ row: string }>(
      "select t::text || coalesce(encode(credentials, 'escape'), '') as row from provider_accounts t",
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ row }) => row.includes(CANARY))).toEqual([]);
  });

  test('keeps its credentials to itself in every answer about it, faults included', async () => {
    const url = 'https://models.example.com/v1';
    const id = await createProvider(user.client, url, { credentials: { api_key: CANARY } });
    const path = `/api/providers/${id}`;
    const answers = [
      await user.client.patch(path, { name: 'Renamed' }),
      await user.client.patch(path, { credentials: { api_key: CANARY } }),
      await user.client.patch(path, { credentials: { api_key: `${CANARY} with a blank` } }),
      await user.client.patch(path, { credentials: CANARY }),
      await user.client.patch(path, { base_url: 'https://other.example.com' }),
      await user.client.post('/api/providers', {
        provider_type: 'unknown',
        name: 'x',
        credentials: { api_key: CANARY },
      }),
      await user.client.delete(path),
      await user.client.patch(`${path}/restore`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 422, 422, 422, 422, 204, 200]);
    expect(leaksIn(JSON.stringify(answers.map(({ json }) => json)))).toEqual([]);
  });
});
