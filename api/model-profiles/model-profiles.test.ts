import { beforeAll, describe, expect, test } from '@jest/globals';
import { acceptMessage } from '../../db/turns/accept-message.ts';
import { createAgent, createChain, createChat, registerUser, type TestUser } from '../../test/support/factories.ts';
import { registerColleague } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

type Fields = Record<string, unknown>;

const PATH = '/api/model-profiles';
const TYPED = { provider_type: 'anthropic', model_name: 'claude-sonnet-5-5' };
const served = serveTestApi();
let user: TestUser;
beforeAll(async () => {
  user = await registerUser(served.url);
});

async function add(fields: Fields, who = user): Promise<string> {
  const { status, json } = await who.client.post<{ id: string }>(PATH, { ...TYPED, ...fields });
  expect([status, json]).toEqual([201, expect.anything()]);
  return json.id;
}

describe('a model profile', () => {
  test('names a provider and a model, or a chain', async () => {
    const typed = await user.client.post<Fields>(PATH, { name: ' Careful ', ...TYPED, tags: ['Code'], priority: 5 });
    expect([typed.status, typed.json]).toMatchObject([
      201,
      {
        name: 'Careful',
        description: '',
        ...TYPED,
        provider_chain_id: null,
        tags: ['Code'],
        priority: 5,
        owner_id: user.id,
      },
    ]);
    const provider_chain_id = await createChain(user.client);
    const chained = await user.client.post<Fields>(PATH, { name: 'Cheap', provider_chain_id });
    expect([chained.status, chained.json]).toMatchObject([
      201,
      { provider_type: null, model_name: null, provider_chain_id, tags: [], priority: 0 },
    ]);
    expect((await user.client.get(`${PATH}/${String(chained.json['id'])}`)).json).toEqual(chained.json);
    expect((await user.client.get<Fields[]>(PATH)).json).toEqual([typed.json, chained.json]);
    // Without its chain it is a profile that nothing can be asked of, and says so at the turn.
    await user.client.delete(`/api/providers/chains/${provider_chain_id}`);
    const path = `${PATH}/${String(chained.json['id'])}`;
    const { json: shown } = await user.client.get<Fields>(path);
    expect((await user.client.patch(path, { ...shown, priority: 1 })).json).toMatchObject({
      provider_chain_id: null,
      priority: 1,
    });
  });

  test.each([
    ['neither a type nor a chain', { name: 'x' }, 'provider_type'],
    ['a model alone', { name: 'x', model_name: 'y' }, 'provider_type'],
    ['an unknown type', { name: 'x', provider_type: 'nobody' }, 'provider_type'],
    ['a blank name', { ...TYPED, name: ' ' }, 'name'],
    ['a tag with a comma', { ...TYPED, name: 'x', tags: ['a,b'] }, 'tags'],
    ['too many tags', { ...TYPED, name: 'x', tags: Array.from({ length: 21 }, (_, n) => `t${n}`) }, 'tags'],
  ])('with %s is rejected', async (_what, fields, name) => {
    const answer = await user.client.post<{ detail: { loc: string[] }[] }>(PATH, fields);
    expect([answer.status, answer.json.detail[0]?.loc.slice(0, 2)]).toEqual([422, ['body', name]]);
  });

  test('has one choice after a change, too', async () => {
    const id = await add({ name: 'Changed' });
    const provider_chain_id = await createChain(user.client);
    const patch = async (fields: Fields) => user.client.patch<Fields>(`${PATH}/${id}`, fields);
    expect((await patch({ provider_chain_id })).status).toBe(422);
    expect((await patch({ provider_type: null })).status).toBe(422);
    const changed = await patch({ provider_chain_id, provider_type: null, model_name: null });
    expect([changed.status, changed.json]).toMatchObject([200, { provider_chain_id, provider_type: null }]);
    expect((await patch({ description: 'For drafts' })).json).toMatchObject({
      description: 'For drafts',
      provider_chain_id,
    });
  });

  test('has a name of its own in its organization, whatever its case', async () => {
    const id = await add({ name: 'Twin' });
    const again = await user.client.post(PATH, { name: 'TWIN', ...TYPED });
    expect([again.status, again.json]).toEqual([409, { detail: expect.stringContaining('already exists') }]);
    const other = await add({ name: 'Other twin' });
    expect((await user.client.patch(`${PATH}/${other}`, { name: 'twin' })).status).toBe(409);
    expect((await user.client.patch(`${PATH}/${id}`, { name: 'tWin' })).status).toBe(200);
    await add({ name: 'Twin' }, await registerUser(served.url));
  });

  test('of somebody else is changed and deleted by administrators only', async () => {
    const member = await registerColleague(served.api, user, 'member');
    const [mine, theirs] = [await add({ name: 'Mine' }), await add({ name: 'Theirs' }, member)];
    const change = async (who: TestUser, id: string) => [
      (await who.client.patch(`${PATH}/${id}`, { priority: 3 })).status,
      (await who.client.delete(`${PATH}/${id}`)).status,
    ];
    expect(await change(member, mine)).toEqual([403, 403]);
    expect(await change(member, theirs)).toEqual([200, 204]);
    expect(await change(user, await add({ name: 'Theirs' }, member))).toEqual([200, 204]);
  });
});

describe('a model profile that agents name', () => {
  const named = async (agentId: string, { client } = user) =>
    (await client.get<Fields>(`/api/agents/${agentId}`)).json['model_pref'];

  test('is named by them as it is called now, in whatever letters they named it', async () => {
    const stranger = await registerUser(served.url);
    const id = await add({ name: 'Before' });
    await add({ name: 'Before' }, stranger);
    const agents = [
      await createAgent(user.client, { model_pref: 'profile:Before' }),
      await createAgent(user.client, { model_pref: 'profile: before' }),
      await createAgent(user.client, { model_pref: 'Before' }),
    ];
    const theirs = await createAgent(stranger.client, { model_pref: 'profile:Before' });
    const [deleted = ''] = agents;
    await user.client.delete(`/api/agents/${deleted}`);
    expect((await user.client.patch(`${PATH}/${id}`, { name: 'After' })).status).toBe(200);
    await user.client.patch(`/api/agents/${deleted}/restore`);
    expect(await Promise.all(agents.map(async (agentId) => named(agentId)))).toEqual([
      'profile:After',
      'profile:After',
      'Before',
    ]);
    expect(await named(theirs, stranger)).toBe('profile:Before');
  });

  test('is not deleted, and says who they are as far as the caller may see them', async () => {
    const owner = await registerUser(served.url);
    const id = await add({ name: 'Used' }, owner);
    const agents: string[] = [];
    for (let at = 1; at <= 7; at += 1)
      agents.push(await createAgent(owner.client, { name: `Agent ${at}`, model_pref: 'profile:used' }));
    const remove = async (who = owner, one = id) => who.client.delete(`${PATH}/${one}`);
    const refused = await remove();
    expect([refused.status, refused.json]).toEqual([
      409,
      {
        detail:
          'The model profile "Used" cannot be deleted, because it is named by the agents "Agent 1", "Agent 2", "Agent 3", "Agent 4", "Agent 5" and 2 more. Give them another model first.',
      },
    ]);
    const member = await registerColleague(served.api, owner, 'member');
    const [, second = ''] = agents;
    const capabilities = { agent_ids: [second] };
    const group = { name: 'Narrow', permissions: ['providers.manage', 'agents.view'], capabilities };
    const { json } = await owner.client.post<{ id: string }>('/api/permissions/groups', group);
    await owner.client.send('PUT', `/api/permissions/groups/${json.id}/members`, { user_ids: [member.id] });
    const own = await add({ name: 'Own' }, member);
    for (const agentId of agents.slice(0, 3))
      await owner.client.patch(`/api/agents/${agentId}`, { model_pref: 'profile:Own' });
    const hidden = await remove(member, own);
    expect([hidden.status, hidden.json]).toEqual([
      409,
      { detail: expect.stringContaining('named by the agents "Agent 2" and 2 more.') },
    ]);
    for (const agentId of agents) await owner.client.patch(`/api/agents/${agentId}`, { model_pref: null });
    expect([(await remove()).status, (await remove(member, own)).status]).toEqual([204, 204]);
  });
});

test('a profile is found by most of the tags, then by priority, then by age', async () => {
  const owner = await registerUser(served.url);
  const code = await add({ name: 'a', tags: ['Code'] }, owner);
  const both = await add({ name: 'b', tags: ['code', 'review', 'code'] }, owner);
  const high = await add({ name: 'c', tags: ['summary', 'code'], priority: 7 }, owner);
  await add({ name: 'd', tags: ['summary'], priority: 7 }, owner);
  const found = async (tags: string) => {
    const { status, json } = await owner.client.get<{ id: string }>(`${PATH}/resolve?tags=${encodeURIComponent(tags)}`);
    return status === 200 ? json.id : status;
  };
  expect(await found('code, REVIEW')).toBe(both);
  expect(await found('code')).toBe(high);
  expect(await found('summary')).toBe(high);
  expect(await found('poetry')).toBe(404);
  expect(await found(',')).toBe(422);
  expect((await owner.client.get(`${PATH}/resolve`)).status).toBe(422);
  await owner.client.delete(`${PATH}/${high}`);
  await owner.client.delete(`${PATH}/${both}`);
  expect(await found('code')).toBe(code);
  expect((await user.client.get(`${PATH}/resolve?tags=summary`)).status).toBe(404);
});

test('turns that wait for a provider are tried again when a profile changes', async () => {
  const { client, orgId, id: userId } = await registerUser(served.url);
  const { json: profile } = await client.post<{ id: string }>(PATH, { name: 'Main', ...TYPED });
  const chatId = await createChat(client, await createAgent(client, { model_pref: 'profile:Main' }));
  const message = { chatId, content: 'hello', clientMessageId: undefined };
  const { turnId } = await acceptMessage(served.api.database, { orgId, userId }, message);
  const { system } = served.api.database;
  const rest =
    "status = 'running', waiting_until = now() + interval '1 hour', next_wake_at = now() + interval '1 hour'";
  await system.query(`update turns set ${rest} where id = $1`, [turnId]);
  await client.patch(`${PATH}/${profile.id}`, { model_name: null });
  const { rows } = await system.query('select next_wake_at <= now() as due from turns where id = $1', [turnId]);
  expect(rows).toEqual([{ due: true }]);
});
