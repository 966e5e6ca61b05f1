import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createAgent, registerUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

const served = serveTestApi();

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

  test('is told which of its fields this request cannot set', async () => {
    const { client } = await registerUser(served.url);
    const hook = { name: 'Archive', kind: 'webhook', config: { url: 'https://hooks.example.com/reports' } };
    const { json: shown } = await client.post<{ id: string; kind: string }>('/api/destinations', hook);
    const { status, json } = await client.patch(`/api/destinations/${shown.id}`, { kind: shown.kind });
    const msg = 'this field cannot be set by this request';
    expect([status, json]).toEqual([422, { detail: [{ type: 'extra_forbidden', loc: ['body', 'kind'], msg }] }]);
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
