import { beforeAll, describe, expect, test } from '@jest/globals';
import { registerColleague } from '../../test/support/people.ts';
import type { ApiClient } from '../../test/support/api-client.ts';
import { createProvider, registerUser, type TestUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

interface Shown {
  readonly id: string;
  readonly owner_id: string | null;
  readonly shared: boolean;
  readonly base_url: string | null;
}

const served = serveTestApi();
const URL = 'https://models.example.com/v1';
const ELSEWHERE = { base_url: 'https://elsewhere.example.com/v1', credentials: { api_key: 'sk-2' } };
const NEW = { provider_type: 'openai-compatible', name: 'Mine', base_url: URL, model_name: 'm', auth_type: 'none' };
let owner: TestUser;
let admin: TestUser;
let member: TestUser;
let colleague: TestUser;
let viewer: TestUser;

beforeAll(async () => {
  owner = await registerUser(served.url);
  admin = await registerColleague(served.api, owner, 'admin');
  member = await registerColleague(served.api, owner, 'member');
  colleague = await registerColleague(served.api, owner, 'member');
  viewer = await registerColleague(served.api, owner, 'viewer');
});

const shownTo = async ({ client }: TestUser, id: string) =>
  (await client.get<Shown[]>('/api/providers')).json.find((account) => account.id === id);
const share = async (client: ApiClient, id: string, shared = true) => client.patch(`/api/providers/${id}`, { shared });

describe('an account that is added', () => {
  test('by an administrator is shared unless they say otherwise', async () => {
    for (const user of [owner, admin]) {
      const { json } = await user.client.post<Shown>('/api/providers', NEW);
      expect(json).toMatchObject({ owner_id: user.id, shared: true });
      const own = await user.client.post<Shown>('/api/providers', { ...NEW, shared: false });
      expect([own.status, own.json.shared]).toEqual([201, false]);
    }
  });

  test('by a member is theirs alone, and shared by an administrator only', async () => {
    const refused = await member.client.post('/api/providers', { ...NEW, shared: true });
    expect([refused.status, refused.json]).toEqual([403, { detail: expect.stringContaining('settings.manage') }]);
    const { json } = await member.client.post<Shown>('/api/providers', { ...NEW, shared: false });
    expect(json).toMatchObject({ owner_id: member.id, shared: false });
    expect((await share(member.client, json.id)).status).toBe(403);
    expect((await shownTo(member, json.id))?.shared).toBe(false);
    expect((await share(admin.client, json.id)).json).toMatchObject({ owner_id: member.id, shared: true });
    expect((await share(member.client, json.id, false)).status).toBe(403);
    // A record that is posted back unchanged changes nothing.
    expect((await member.client.patch(`/api/providers/${json.id}`, { name: 'Ours', shared: true })).status).toBe(200);
  });
});

describe('an account that is not shared', () => {
  test('is seen by its owner and by administrators, and by nobody else', async () => {
    const id = await createProvider(member.client, URL);
    expect(await shownTo(member, id)).toMatchObject({ shared: false });
    expect(await shownTo(owner, id)).toMatchObject({ owner_id: member.id });
    expect(await shownTo(admin, id)).toMatchObject({ owner_id: member.id });
    expect([await shownTo(colleague, id), await shownTo(viewer, id)]).toEqual([undefined, undefined]);
    await share(admin.client, id);
    expect(await shownTo(colleague, id)).toMatchObject({ shared: true });
    await share(admin.client, id, false);
    expect(await shownTo(colleague, id)).toBeUndefined();
  });

  test('is seen by those whose allowlist names it only when it is theirs', async () => {
    const id = await createProvider(member.client, URL);
    const fields = { name: 'Narrow', permissions: ['providers.manage'], capabilities: { provider_ids: [id] } };
    const group = await owner.client.post<{ id: string }>('/api/permissions/groups', fields);
    const users = { user_ids: [member.id, colleague.id] };
    await owner.client.send('PUT', `/api/permissions/groups/${group.json.id}/members`, users);
    expect(await shownTo(member, id)).toMatchObject({ id });
    expect(await shownTo(colleague, id)).toBeUndefined();
    await owner.client.delete(`/api/permissions/groups/${group.json.id}`);
  });

  test('is unknown to members on every route, deleted or not', async () => {
    const id = await createProvider(member.client, URL);
    const act = async () => [
      await colleague.client.patch(`/api/providers/${id}`, { name: 'Taken' }),
      await colleague.client.patch(`/api/providers/${id}/restore`),
      await colleague.client.post(`/api/providers/${id}/test`),
      await colleague.client.delete(`/api/providers/${id}`),
      await colleague.client.delete(`/api/providers/${id}/purge`),
    ];
    const answers = await act();
    await member.client.delete(`/api/providers/${id}`);
    for (const { status, json } of [...answers, ...(await act())]) {
      expect([status, json]).toEqual([404, { detail: 'Provider not found' }]);
    }
    expect((await member.client.patch(`/api/providers/${id}/restore`)).json).toMatchObject({ name: 'Scripted model' });
  });
});

describe('a shared account', () => {
  test('of a member is redirected by administrators only; its other fields stay theirs to change', async () => {
    const id = await createProvider(member.client, URL);
    await share(owner.client, id);
    const refused = await member.client.patch(`/api/providers/${id}`, ELSEWHERE);
    expect([refused.status, refused.json]).toEqual([403, { detail: expect.stringContaining('base_url') }]);
    expect(await shownTo(member, id)).toMatchObject({ base_url: URL });
    expect((await member.client.patch(`/api/providers/${id}`, { ...ELSEWHERE, base_url: URL })).status).toBe(200);
    expect((await owner.client.patch(`/api/providers/${id}`, ELSEWHERE)).status).toBe(200);
  });

  test('leads where the administrator saw it lead who named the address along with sharing it', async () => {
    for (let round = 0; round < 10; round += 1) {
      const id = await createProvider(member.client, URL);
      await Promise.all([
        owner.client.patch(`/api/providers/${id}`, { shared: true, base_url: URL }),
        member.client.patch(`/api/providers/${id}`, ELSEWHERE),
      ]);
      const { shared, base_url: url } = (await shownTo(owner, id)) ?? {};
      expect([
        [true, URL],
        [false, ELSEWHERE.base_url],
      ]).toContainEqual([shared, url]);
    }
  });

  test('stays shared when its owner becomes a member, who then cannot lead it elsewhere', async () => {
    const former = await registerColleague(served.api, owner, 'admin');
    const id = await createProvider(former.client, URL);
    await owner.client.patch(`/api/orgs/${owner.orgId}/members/${former.id}`, { role: 'member' });
    expect(await shownTo(colleague, id)).toMatchObject({ shared: true });
    expect((await former.client.patch(`/api/providers/${id}`, ELSEWHERE)).status).toBe(403);
  });

  test('stays when its owner leaves, and administrators manage it', async () => {
    const leaver = await registerColleague(served.api, owner, 'member');
    const id = await createProvider(leaver.client, URL);
    await share(owner.client, id);
    await owner.client.delete(`/api/orgs/${owner.orgId}/members/${leaver.id}`);
    expect(await shownTo(colleague, id)).toMatchObject({ owner_id: leaver.id });
    expect((await colleague.client.delete(`/api/providers/${id}`)).status).toBe(403);
    expect((await owner.client.delete(`/api/providers/${id}/purge`)).status).toBe(204);
  });

  test("outlives its owner's user, whoever that was", async () => {
    const gone = await registerColleague(served.api, owner, 'admin');
    const id = await createProvider(gone.client, URL);
    await served.api.database.system.query('delete from users where id = $1', [gone.id]);
    expect(await shownTo(colleague, id)).toMatchObject({ owner_id: null, shared: true });
  });

  test('is tested by its owner and administrators only', async () => {
    const id = await createProvider(owner.client, URL);
    const answer = await member.client.post(`/api/providers/${id}/test`);
    expect([answer.status, answer.json]).toEqual([403, { detail: expect.stringContaining('administrators') }]);
    // No engine runs here: a request that passes the check fails with that.
    expect((await admin.client.post(`/api/providers/${id}/test`)).status).toBe(503);
  });
});
