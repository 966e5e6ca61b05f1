import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createAgent, registerUser } from '../../test/support/factories.ts';
import type { ApiClient } from '../../test/support/api-client.ts';
import { registerColleague } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

const served = serveTestApi();

/** Records with a field that their `PATCH` cannot set, another value of it, and a change that it can make. */
const FIXED = {
  issues: {
    make: async () => {
      const { client } = await registerUser(served.url);
      const project = await client.post<{ id: string }>('/api/projects', { name: 'Website' });
      return added(client, '/api/issues', { project_id: project.json.id, title: 'One' });
    },
    field: 'project_id',
    other: randomUUID(),
    changes: { title: 'Two' },
  },
  groups: {
    make: async () => {
      const { client, id } = await registerUser(served.url);
      const group = await added(client, '/api/permissions/groups', { name: 'Readers' });
      await client.send('PUT', `${group.path}/members`, { user_ids: [id] });
      return group;
    },
    field: 'user_ids',
    other: [],
    changes: { name: 'Writers' },
  },
  providers: {
    make: async () => {
      const { client } = await registerUser(served.url);
      const credentials = { api_key: 'sk-example' };
      return added(client, '/api/providers', { provider_type: 'openai', name: 'Team', credentials });
    },
    field: 'provider_type',
    other: 'anthropic',
    changes: { name: 'Mine' },
  },
  destinations: {
    make: async () => {
      const { client } = await registerUser(served.url);
      const config = { url: 'https://hooks.example.com/reports' };
      return added(client, '/api/destinations', { name: 'Archive', kind: 'webhook', config });
    },
    field: 'kind',
    other: 'slack',
    changes: { name: 'Reports' },
  },
  users: {
    make: async () => ({ client: (await registerUser(served.url)).client, path: '/api/users/me' }),
    field: 'email',
    other: 'somebody@example.com',
    changes: { full_name: 'Ada' },
  },
} as const;

async function added(client: ApiClient, path: string, fields: Record<string, unknown>) {
  const { status, json } = await client.post<{ id: string }>(path, fields);
  expect(status).toBe(201);
  return { client, path: `${path}/${json.id}` };
}

describe('a record that is posted back as it was shown', () => {
  test('changes nothing, and clones a template', async () => {
    const { client } = await registerUser(served.url);
    const path = `/api/agents/${await createAgent(client, { name: 'Ada' })}`;
    const { json: shown } = await client.get<Record<string, unknown>>(path);
    const changed = await client.patch<Record<string, unknown>>(path, shown);
    expect([changed.status, { ...changed.json, updated_at: shown['updated_at'] }]).toEqual([200, shown]);
    const { json: templates } = await client.get<Record<string, unknown>[]>('/api/agents/templates');
    const { status, json } = await client.post<Record<string, unknown>>('/api/agents', templates[0]);
    expect([status, json['name']]).toEqual([201, templates[0]?.['name']]);
    expect(json['id']).not.toBe(templates[0]?.['id']);
  });

  test('is refused when a new record would not be what it says: when it ends, or where it is', async () => {
    const { client, orgId } = await registerUser(served.url);
    const keys = '/api/users/me/api-keys';
    const send = async (path: string, body: Record<string, unknown>) => {
      const { status, json } = await client.post<{ detail?: unknown }>(path, body);
      return [status, json.detail];
    };
    const refused = (field: string) => [
      422,
      [expect.objectContaining({ type: 'extra_forbidden', loc: ['body', field] })],
    ];
    expect(await send(keys, { name: 'ci', expires_at: '2030-01-01T00:00:00.000Z' })).toEqual(refused('expires_at'));
    expect(await send(keys, { name: 'ci', org_id: randomUUID() })).toEqual(refused('org_id'));
    expect(await send(keys, { name: 'ci', org_id: null })).toEqual(refused('org_id'));
    expect(
      await send(`/api/orgs/${orgId}/invites`, { role: 'member', expires_at: '2030-01-01T00:00:00.000Z' }),
    ).toEqual(refused('expires_at'));
    expect((await client.get(keys)).json).toEqual([]);
    expect(await send(keys, { name: 'ci', org_id: orgId.toUpperCase(), id: randomUUID() })).toEqual([201, undefined]);
  });

  describe.each(['issues', 'groups', 'providers', 'destinations', 'users'] as const)('of %s', (kind) => {
    const msg = 'this field cannot be set by this request';

    test('changes nothing, with the fields that only other requests set', async () => {
      const { client, path } = await FIXED[kind].make();
      const { json: shown } = await client.get<Record<string, unknown>>(path);
      const changed = await client.patch<Record<string, unknown>>(path, shown);
      expect([changed.status, { ...changed.json, updated_at: shown['updated_at'] }]).toEqual([200, shown]);
    });

    test('is told that this request cannot set those fields, and changes nothing', async () => {
      const { client, path } = await FIXED[kind].make();
      const { field, other, changes } = FIXED[kind];
      const { json: shown } = await client.get<Record<string, unknown>>(path);
      for (const value of [other, null]) {
        const { status, json } = await client.patch(path, { ...shown, ...changes, [field]: value });
        expect([status, json]).toEqual([422, { detail: [{ type: 'extra_forbidden', loc: ['body', field], msg }] }]);
      }
      expect((await client.get(path)).json).toEqual(shown);
    });
  });

  test('changes the role of a member beside what nobody sets', async () => {
    const owner = await registerUser(served.url);
    const { id } = await registerColleague(served.api, owner, 'member');
    const members = `/api/orgs/${owner.orgId}/members`;
    const find = async () => {
      const { json } = await owner.client.get<{ user_id: string }[]>(members);
      return json.find((each) => each.user_id === id);
    };
    const shown = await find();
    expect((await owner.client.patch(`${members}/${id}`, { ...shown, role: 'viewer' })).status).toBe(200);
    expect(await find()).toEqual({ ...shown, role: 'viewer' });
  });

  test('is refused when it has a field that no such record has, also beside others', async () => {
    const { client } = await registerUser(served.url);
    const path = `/api/agents/${await createAgent(client)}`;
    const { json: shown } = await client.get<Record<string, unknown>>(path);
    const answer = await client.patch(path, { ...shown, colour: 'red' });
    const msg = 'this field does not exist';
    expect([answer.status, answer.json]).toEqual([
      422,
      { detail: [{ type: 'extra_forbidden', loc: ['body', 'colour'], msg }] },
    ]);
    expect((await client.post('/api/auth/login', { email: 'a@b.de', password: 'x', access_token: 'y' })).status).toBe(
      422,
    );
  });
});
