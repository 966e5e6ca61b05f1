import { beforeAll, describe, expect, test } from '@jest/globals';
import { registerUser, type TestUser } from '../../test/support/factories.ts';
import { registerColleague } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

const served = serveTestApi();
let owner: TestUser;
let admin: TestUser;
let member: TestUser;
let colleague: TestUser;
/** A member to whom a permission group grants the keys. */
let granted: TestUser;
beforeAll(async () => {
  owner = await registerUser(served.url);
  const register = async (role: 'admin' | 'member') => registerColleague(served.api, owner, role);
  [admin, member, colleague, granted] = [
    await register('admin'),
    await register('member'),
    await register('member'),
    await register('member'),
  ];
  const permissions = ['integrations.manage', 'mcp_servers.manage', 'tools.manage'];
  const group = { name: 'Keepers', permissions };
  const { json } = await owner.client.post<{ id: string }>('/api/permissions/groups', group);
  await owner.client.send('PUT', `/api/permissions/groups/${json.id}/members`, { user_ids: [granted.id] });
});

type Change = (client: TestUser['client'], path: string) => Promise<{ readonly status: number }>;

interface Resource {
  readonly path: string;
  readonly added: Readonly<Record<string, unknown>>;
  readonly changes: Readonly<Record<string, Change>>;
}

let made = 0;
const OAUTH = { client_id: 'a-client', client_secret: 'a-secret-of-it' };
const HTTP_JSON = JSON.stringify({ method: 'GET', url: 'https://other.example.com/' });

const RESOURCES: Readonly<Record<string, Resource>> = {
  integration: {
    path: '/api/integrations',
    added: { kind: 'github', credentials: OAUTH },
    changes: {
      'point it elsewhere': (client, path) =>
        client.patch(path, { base_url: 'https://git.example.com', credentials: OAUTH }),
      'rename it': (client, path) => client.patch(path, { name: `Renamed ${(made += 1)}` }),
      'sign in with it': (client, path) => client.post(`${path}/oauth/start`, {}),
      'delete it': (client, path) => client.delete(path),
    },
  },
  'MCP server': {
    path: '/api/mcp-servers',
    added: { url: 'https://mcp.example.com', auth_type: 'none' },
    changes: {
      'point it elsewhere': (client, path) => client.patch(path, { url: 'https://other.example.com' }),
      'delete it': (client, path) => client.delete(path),
    },
  },
  tool: {
    path: '/api/tools',
    added: {},
    changes: {
      'write what it requests': (client, path) => client.send('PUT', `${path}/files/http.json`, { content: HTTP_JSON }),
      'rename it': (client, path) => client.patch(path, { name: 'Renamed' }),
      'delete what it requests': (client, path) => client.delete(`${path}/files/http.json`),
      'delete it': (client, path) => client.delete(path),
    },
  },
};

async function add(resource: Resource, by: TestUser): Promise<string> {
  made += 1;
  const fields = { name: `Sample ${made}`, ...(resource.path === '/api/tools' && { key: `sample_${made}` }) };
  const { status, json } = await by.client.post<{ id: string; owner_id: string }>(resource.path, {
    ...fields,
    ...resource.added,
  });
  expect([status, json.owner_id]).toEqual([201, by.id]);
  return `${resource.path}/${json.id}`;
}

describe.each(Object.entries(RESOURCES))(
  'an agent may reach another server after a change of an %s',
  (_name, resource) => {
    test.each(Object.entries(resource.changes))('so only some may %s', async (_change, change) => {
      const path = await add(resource, member);
      const before = await owner.client.get(path);
      const refused = await change(colleague.client, path);
      expect(refused).toMatchObject({
        status: 403,
        json: { detail: expect.stringContaining('Somebody else has added this') },
      });
      expect(await owner.client.get(path)).toMatchObject({ status: 200, json: before.json });
      // Of whoever has written it first, what is to be deleted is there.
      if (resource.path === '/api/tools')
        await member.client.send('PUT', `${path}/files/http.json`, { content: HTTP_JSON });
      expect([200, 204]).toContain((await change(member.client, path)).status);
    });

    test.each(['owner', 'admin', 'granted'] as const)('of anybody for %s', async (name) => {
      const by = { owner, admin, granted }[name];
      for (const change of Object.values(resource.changes)) {
        const path = await add(resource, member);
        if (resource.path === '/api/tools')
          await member.client.send('PUT', `${path}/files/http.json`, { content: HTTP_JSON });
        expect([200, 204]).toContain((await change(by.client, path)).status);
      }
    });

    test('of an account that is gone for administrators', async () => {
      const path = await add(resource, member);
      const table = {
        '/api/integrations': 'integrations',
        '/api/mcp-servers': 'mcp_servers',
        '/api/tools': 'definitions',
      };
      const id = path.split('/').at(-1);
      await served.api.database.system.query(
        `update ${table[resource.path as keyof typeof table]} set owner_id = null where id = $1`,
        [id],
      );
      expect((await member.client.delete(path)).status).toBe(403);
      expect((await admin.client.delete(path)).status).toBe(204);
    });
  },
);
