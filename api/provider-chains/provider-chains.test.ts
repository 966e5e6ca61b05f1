import { describe, expect, test } from '@jest/globals';
import { acceptMessage } from '../../db/turns/accept-message.ts';
import { registerColleague } from '../../test/support/people.ts';
import type { ApiClient } from '../../test/support/api-client.ts';
import { createAgent, createChain, createChat, registerUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

type Fields = Record<string, unknown>;

const served = serveTestApi();
const PATH = '/api/providers/chains';
const STEPS = [{ provider_type: 'anthropic', model_name: 'claude-sonnet-5-5' }, { provider_type: 'openai' }];
const signIn = async () => (await registerUser(served.url)).client;
const defaults = async (client: ApiClient) =>
  (await client.get<Fields[]>(PATH)).json.filter(({ is_default: isDefault }) => isDefault).map(({ id }) => id);

describe('POST /api/providers/chains', () => {
  test('answers the chain with its steps in order, and lists it', async () => {
    const client = await signIn();
    const answer = await client.post<Fields>(PATH, { name: ' Main ', steps: STEPS });
    expect(answer.status).toBe(201);
    expect(answer.json).toMatchObject({
      name: 'Main',
      is_default: false,
      steps: [
        { provider_type: 'anthropic', model_name: 'claude-sonnet-5-5' },
        { provider_type: 'openai', model_name: null },
      ],
    });
    expect((await client.get<Fields[]>(PATH)).json).toEqual([answer.json]);
  });

  test.each([
    ['of a type that the catalog does not know', { provider_type: 'unknown' }, ['provider_type']],
    ['without a type', { model_name: 'x' }, ['provider_type']],
    ['that names an account', { provider_type: 'openai', account_id: 'x' }, ['account_id']],
    ['with a blank model', { provider_type: 'openai', model_name: ' ' }, ['model_name']],
  ])('answers 422 with the place of a step %s', async (_what, step, location) => {
    const client = await signIn();
    const answer = await client.post(PATH, { name: 'Main', steps: [STEPS[0], step] });
    expect([answer.status, answer.json]).toMatchObject([422, { detail: [{ loc: ['body', 'steps', 1, ...location] }] }]);
    expect((await client.get(PATH)).json).toEqual([]);
  });

  test.each([
    [0, 422],
    [1, 201],
    [20, 201],
    [21, 422],
  ])('answers to a chain of %d steps with %d', async (count, status) => {
    const steps = Array.from({ length: count }, () => ({ provider_type: 'openai' }));
    expect((await (await signIn()).post(PATH, { name: 'Main', steps })).status).toBe(status);
  });
});

describe('PATCH /api/providers/chains/{chain_id}', () => {
  test('changes the given fields only, and replaces the steps whole', async () => {
    const client = await signIn();
    const { json: before } = await client.post<Fields>(PATH, { name: 'Main', steps: STEPS, is_default: true });
    const path = `${PATH}/${String(before['id'])}`;
    const renamed = await client.patch<Fields>(path, { name: 'Other' });
    expect([renamed.status, renamed.json]).toEqual([
      200,
      { ...before, name: 'Other', updated_at: renamed.json['updated_at'] },
    ]);
    const steps = [{ provider_type: 'google', model_name: null }];
    expect((await client.patch(path, { steps })).json).toMatchObject({ name: 'Other', is_default: true, steps });
    expect((await client.get<Fields[]>(PATH)).json).toMatchObject([{ name: 'Other', is_default: true, steps }]);
  });

  test('changes nothing when nothing is given', async () => {
    const client = await signIn();
    const { json } = await client.post<Fields>(PATH, { name: 'Main', steps: STEPS });
    expect((await client.patch(`${PATH}/${String(json['id'])}`, {})).json).toEqual(json);
  });
});

describe('the default chain', () => {
  test('is the one that was made it last, and none when that is taken back or deleted', async () => {
    const client = await signIn();
    const first = await createChain(client, { is_default: true });
    expect(await defaults(client)).toEqual([first]);
    const second = await createChain(client, { is_default: true });
    expect(await defaults(client)).toEqual([second]);
    await client.patch(`${PATH}/${first}`, { is_default: true });
    expect(await defaults(client)).toEqual([first]);
    await client.patch(`${PATH}/${first}`, { is_default: false });
    expect(await defaults(client)).toEqual([]);
    await client.patch(`${PATH}/${second}`, { is_default: true });
    expect((await client.delete(`${PATH}/${second}`)).status).toBe(204);
    expect(await defaults(client)).toEqual([]);
  });

  test('is of one organization, whatever another one does', async () => {
    const [client, stranger] = [await signIn(), await signIn()];
    const id = await createChain(client, { is_default: true });
    await createChain(stranger, { is_default: true });
    expect(await defaults(client)).toEqual([id]);
  });

  test('is exactly one when many requests at once make theirs it', async () => {
    const client = await signIn();
    const ids = await Promise.all(Array.from({ length: 4 }, () => createChain(client)));
    const changes = ids.flatMap((id) => [id, id]).map((id) => client.patch(`${PATH}/${id}`, { is_default: true }));
    const creations = ids.map(() => client.post(PATH, { name: 'New', steps: STEPS, is_default: true }));
    const statuses = (await Promise.all([...changes, ...creations])).map(({ status }) => status);
    expect(statuses).toEqual([...changes.map(() => 200), ...creations.map(() => 201)]);
    expect(await defaults(client)).toHaveLength(1);
  });
});

describe('the chains of a member', () => {
  /** Returns an owner, and two members who hold `providers.manage`. */
  const people = async () => {
    const owner = await registerUser(served.url);
    const member = await registerColleague(served.api, owner, 'member');
    const colleague = await registerColleague(served.api, owner, 'member');
    return { owner, member, colleague };
  };
  /** Returns the responses to a change and a deletion. */
  const change = async (client: ApiClient, id: string) => [
    (await client.patch(`${PATH}/${id}`, { name: 'Changed', steps: STEPS })).status,
    (await client.delete(`${PATH}/${id}`)).status,
  ];
  const shown = async (client: ApiClient, id: string) =>
    (await client.get<Fields[]>(PATH)).json.find((chain) => chain['id'] === id);

  test('are theirs to change and to delete, and not those of a colleague', async () => {
    const { owner, member, colleague } = await people();
    const id = await createChain(member.client);
    expect(await shown(colleague.client, id)).toMatchObject({ owner_id: member.id });
    expect(await change(colleague.client, id)).toEqual([403, 403]);
    expect(await change(member.client, id)).toEqual([200, 204]);
    expect(await change(owner.client, await createChain(member.client))).toEqual([200, 204]);
    expect(await change(member.client, await createChain(owner.client))).toEqual([403, 403]);
  });

  test('never become the default by them, and are not theirs to change when they have become it', async () => {
    const { owner, member } = await people();
    const former = await createChain(owner.client, { is_default: true });
    const created = await member.client.post(PATH, { name: 'Mine', steps: STEPS, is_default: true });
    expect([created.status, created.json]).toEqual([403, { detail: expect.stringContaining('default') }]);
    const id = await createChain(member.client);
    expect((await member.client.patch(`${PATH}/${id}`, { is_default: true })).status).toBe(403);
    expect(await defaults(owner.client)).toEqual([former]);
    expect((await member.client.patch(`${PATH}/${former}`, { is_default: false })).status).toBe(403);
    expect((await owner.client.patch(`${PATH}/${id}`, { is_default: true })).status).toBe(200);
    expect(await change(member.client, id)).toEqual([403, 403]);
    expect(await defaults(owner.client)).toEqual([id]);
    expect(await shown(owner.client, id)).toMatchObject({ name: 'Test chain', owner_id: member.id });
  });

  test.each(['default_chain_id', 'chain_ids'])(
    'are not theirs to change while a group names them as %s',
    async (name) => {
      const { owner, member } = await people();
      const id = await createChain(member.client);
      const capabilities = { [name]: name === 'chain_ids' ? [id] : id };
      const fields = { name: 'Narrow', permissions: ['providers.manage'], capabilities };
      const group = await owner.client.post<{ id: string }>('/api/permissions/groups', fields);
      const members = { user_ids: [member.id] };
      await owner.client.send('PUT', `/api/permissions/groups/${group.json.id}/members`, members);
      expect(await change(member.client, id)).toEqual([403, 403]);
      await owner.client.delete(`/api/permissions/groups/${group.json.id}`);
      expect(await change(member.client, id)).toEqual([200, 204]);
    },
  );

  test('whose maker is not known are changed by administrators only', async () => {
    const { owner, member } = await people();
    const id = await createChain(member.client);
    await served.api.database.system.query('update provider_chains set owner_id = null where id = $1', [id]);
    expect(await change(member.client, id)).toEqual([403, 403]);
    expect(await change(owner.client, id)).toEqual([200, 204]);
  });
});

describe('a chain that an agent and a chat refer to', () => {
  test('is shown by both, and taken back with null', async () => {
    const client = await signIn();
    const chainId = await createChain(client);
    const agentId = await createAgent(client, { provider_chain_id: chainId });
    const chatId = await createChat(client, agentId);
    expect((await client.get(`/api/agents/${agentId}`)).json).toMatchObject({ provider_chain_id: chainId });
    expect((await client.get(`/api/chats/${chatId}`)).json).toMatchObject({ provider_chain_id: null });
    const path = `/api/chats/${chatId}/provider-chain`;
    const answer = await client.patch(path, { provider_chain_id: chainId });
    expect([answer.status, answer.json]).toMatchObject([200, { id: chatId, provider_chain_id: chainId }]);
    expect((await client.get(`/api/chats/${chatId}`)).json).toEqual(answer.json);
    expect((await client.patch(path, { provider_chain_id: null })).json).toMatchObject({ provider_chain_id: null });
    const freed = await client.patch(`/api/agents/${agentId}`, { provider_chain_id: null });
    expect(freed.json).toMatchObject({ provider_chain_id: null });
  });

  test('is referred to by none of them when it was deleted', async () => {
    const client = await signIn();
    const chainId = await createChain(client);
    const agentId = await createAgent(client, { provider_chain_id: chainId });
    const chatId = await createChat(client, agentId);
    await client.patch(`/api/chats/${chatId}/provider-chain`, { provider_chain_id: chainId });
    expect((await client.delete(`${PATH}/${chainId}`)).status).toBe(204);
    expect((await client.get(`/api/agents/${agentId}`)).json).toMatchObject({ provider_chain_id: null });
    expect((await client.get(`/api/chats/${chatId}`)).json).toMatchObject({ provider_chain_id: null });
    expect((await client.delete(`${PATH}/${chainId}`)).status).toBe(404);
  });

  test('may be deleted while others begin to refer to it: they are refused or refer to none', async () => {
    const client = await signIn();
    const [agentId, chatId] = [await createAgent(client), await createChat(client)];
    for (let round = 0; round < 5; round += 1) {
      const chainId = await createChain(client);
      const [agent, chat, created, deleted] = await Promise.all([
        client.patch(`/api/agents/${agentId}`, { provider_chain_id: chainId }),
        client.patch(`/api/chats/${chatId}/provider-chain`, { provider_chain_id: chainId }),
        client.post('/api/agents', { name: 'A', provider_chain_id: chainId }),
        client.delete(`${PATH}/${chainId}`),
      ]);
      expect(deleted.status).toBe(204);
      expect([200, 404]).toContain(agent.status);
      expect([200, 404]).toContain(chat.status);
      expect([201, 404]).toContain(created.status);
    }
    expect((await client.get(`/api/agents/${agentId}`)).json).toMatchObject({ provider_chain_id: null });
    expect((await client.get(`/api/chats/${chatId}`)).json).toMatchObject({ provider_chain_id: null });
  });
});

describe('turns that wait for a provider', () => {
  test('are tried again when a chain changes that they may go by, and not when it stays as it is', async () => {
    const { client, orgId, id: userId } = await registerUser(served.url);
    const [agentId, chainId] = [await createAgent(client), await createChain(client)];
    const chatId = await createChat(client, agentId);
    const message = { chatId, content: 'hello', clientMessageId: undefined };
    const { turnId } = await acceptMessage(served.api.database, { orgId, userId }, message);
    const { system } = served.api.database;
    /** Returns whether the change makes the turn due, which otherwise waits for an hour. */
    const hurries = async (path: string, body: Fields) => {
      const rest =
        "status = 'running', waiting_until = now() + interval '1 hour', next_wake_at = now() + interval '1 hour'";
      await system.query(`update turns set ${rest} where id = $1`, [turnId]);
      expect((await client.patch(path, body)).status).toBe(200);
      const isDue = 'select next_wake_at <= now() as due from turns where id = $1';
      return (await system.query<{ due: boolean }>(isDue, [turnId])).rows[0]?.due;
    };
    for (const path of [`/api/chats/${chatId}/provider-chain`, `/api/agents/${agentId}`]) {
      expect(await hurries(path, { provider_chain_id: null })).toBe(false);
      expect(await hurries(path, { provider_chain_id: chainId })).toBe(true);
      expect(await hurries(path, { provider_chain_id: chainId })).toBe(false);
      expect(await hurries(path, { provider_chain_id: null })).toBe(true);
    }
    for (const change of [{ steps: STEPS }, { is_default: true }]) {
      expect(await hurries(`${PATH}/${chainId}`, { name: 'Other' })).toBe(false);
      expect(await hurries(`${PATH}/${chainId}`, change)).toBe(true);
      expect(await hurries(`${PATH}/${chainId}`, change)).toBe(false);
    }
  });
});
