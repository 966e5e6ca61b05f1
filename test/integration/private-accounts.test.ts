import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { registerColleague } from '../support/people.ts';
import {
  createAgent,
  createChain,
  createChat,
  createProvider,
  registerUser,
  type TestUser,
} from '../support/factories.ts';
import { SseClient } from '../support/sse-client.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

let instance: TestInstance;
let owner: TestUser;
let member: TestUser;
let colleague: TestUser;
let agentId: string;

beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());
beforeEach(async () => {
  owner = await registerUser(instance.api.url);
  member = await registerColleague(instance.api, owner, 'member');
  colleague = await registerColleague(instance.api, owner, 'member');
  agentId = await createAgent(owner.client, { tools: ['agent_spawn'], max_subagents: 2 });
});

/** Adds an account of the type `openai`; the requests of each go by the name of its model. */
async function addAccount({ client }: TestUser, model: string, fields: Record<string, unknown> = {}): Promise<string> {
  return createProvider(client, instance.model.url, {
    provider_type: 'openai',
    model_name: model,
    name: model,
    ...fields,
  });
}

interface Answer {
  readonly role: string;
  readonly content: string;
  readonly provider_used: string | null;
  readonly metadata_: Record<string, unknown>;
}

/** Sends a message, and answers what it was answered. */
async function ask(user: TestUser, content = 'hello', chat?: string): Promise<Answer | undefined> {
  const chatId = chat ?? (await createChat(user.client, agentId));
  const stream = await send(user, chatId, content);
  await stream.waitForEnd();
  const { json } = await user.client.get<Answer[]>(`/api/chats/${chatId}/messages`);
  return json.findLast(({ role }) => role === 'assistant');
}

async function send(user: TestUser, chatId: string, content: string): Promise<SseClient> {
  const url = `${instance.api.url}/api/chats/${chatId}/stream`;
  return SseClient.open({ url, token: user.accessToken, body: { content } });
}

/** The users' messages that were sent to the accounts with this model. */
const readBy = (model: string) =>
  instance.model.requests
    .filter((request) => request.model === model)
    .flatMap(({ messages }) => messages.filter(({ role }) => role === 'user').map(({ content }) => content));

const NOT_SHARED = { status: 'failed', error: expect.stringContaining('No provider account is shared with you') };

describe('an account of a member that is not shared', () => {
  test("never reads a message of others, also within the organization's default chain", async () => {
    await createChain(owner.client, { is_default: true, steps: [{ provider_type: 'openai' }] });
    await addAccount(owner, 'owner-1');
    await addAccount(member, 'member-1');
    for (const round of [1, 2, 3]) {
      expect((await ask(owner, `secret of the owner ${round}`))?.provider_used).toBe('owner-1');
      expect((await ask(colleague, `secret of a colleague ${round}`))?.provider_used).toBe('owner-1');
    }
    // Their own account, which was never used, comes first.
    expect((await ask(member, 'of the member'))?.provider_used).toBe('member-1');
    expect(readBy('member-1')).toEqual(['of the member']);
  });

  test('reads no message of others that comes by a chain that names its type alone', async () => {
    await addAccount(owner, 'owner-2');
    await addAccount(member, 'member-2', { provider_type: 'groq' });
    const chainId = await createChain(member.client, { steps: [{ provider_type: 'groq' }] });
    await member.client.patch(`/api/agents/${agentId}`, { provider_chain_id: chainId });
    expect((await ask(owner, 'secret'))?.metadata_).toMatchObject({ status: 'failed' });
    expect((await ask(member, 'mine'))?.provider_used).toBe('member-2');
    expect(readBy('member-2')).toEqual(['mine']);
  });

  test("answers the member's sub-agents, and nobody else's", async () => {
    await addAccount(member, 'member-3');
    const spawn = (task: string) =>
      `[[tool agent_spawn {"agent":"Test agent","task":"[[say ${task}]]"}]] [[then]] [[say done]]`;
    expect(await ask(member, spawn('work'))).toMatchObject({ content: 'done', provider_used: 'member-3' });
    expect(readBy('member-3')).toContainEqual(expect.stringContaining('[[say work]]'));
    const before = readBy('member-3').length;
    expect((await ask(owner, spawn('secret')))?.metadata_).toMatchObject(NOT_SHARED);
    expect(readBy('member-3')).toHaveLength(before);
  });

  test('stops reading at the next step when sharing ends, and begins when it begins', async () => {
    const id = await addAccount(member, 'member-4');
    expect((await ask(owner))?.metadata_).toMatchObject(NOT_SHARED);
    await owner.client.patch(`/api/providers/${id}`, { shared: true });
    expect((await ask(owner))?.provider_used).toBe('member-4');
    const chatId = await createChat(owner.client, agentId);
    const content = '[[hold sharing after 0 chunks]] [[tool agent_spawn {}]] [[then]] [[say done]]';
    const stream = await send(owner, chatId, content);
    await waitUntil('the model to be asked', () => (readBy('member-4').length > 1 ? true : undefined));
    await owner.client.patch(`/api/providers/${id}`, { shared: false });
    instance.model.release('sharing');
    expect(await stream.waitForEnd()).toMatchObject({
      event: 'error',
      data: { message: expect.stringContaining('shared') },
    });
    expect(readBy('member-4')).toHaveLength(2);
  });

  test('is no reason for others to have the demo model, which a user without any account at all has', async () => {
    expect((await ask(owner))?.metadata_).toMatchObject({ status: 'completed', model: 'demo' });
    const demo = { provider_type: 'demo', name: 'Demo', model_name: null, credentials: {} };
    expect((await member.client.post('/api/providers', demo)).status).toBe(201);
    expect((await ask(owner))?.metadata_).toMatchObject({ status: 'completed', model: 'demo' });
    await addAccount(member, 'member-5');
    expect((await ask(owner))?.metadata_).toMatchObject(NOT_SHARED);
    expect((await ask(member))?.provider_used).toBe('member-5');
    await addAccount(owner, 'owner-5');
    expect((await ask(colleague))?.provider_used).toBe('owner-5');
  });
});

describe('the accounts that a turn is chosen from', () => {
  test.each(['member', 'owner'])('are not hidden by hundreds of older ones of the %s', async (role) => {
    const shared = role === 'owner';
    const chainId = await createChain(owner.client, { steps: [{ provider_type: 'openai' }] });
    await (shared ? addAccount(member, 'own') : addAccount(owner, 'shared'));
    // More than an organization may add by now, as older installations may hold.
    await instance.api.database.system.query(
      `insert into provider_accounts (id, org_id, user_id, shared, provider_type, name, auth_type, cooldown_seconds)
        select ('00000000-0000-7000-8000-' || lpad(to_hex($3::int + n), 12, '0'))::uuid, $1, $2, $4, 'groq', 'Old', 'apikey', 0
        from generate_series(1, 300) n`,
      [owner.orgId, member.id, shared ? 0 : 1000, shared],
    );
    const chatId = await createChat(member.client, agentId);
    await member.client.patch(`/api/chats/${chatId}/provider-chain`, { provider_chain_id: chainId });
    expect((await ask(member, 'hello', chatId))?.provider_used).toBe(shared ? 'own' : 'shared');
  });
});

test('a turn that waits goes on when an account is shared that can answer it', async () => {
  await addAccount(owner, 'busy', { cooldown_seconds: 600 });
  const id = await addAccount(member, 'helper');
  const chatId = await createChat(owner.client, agentId);
  const stream = await send(owner, chatId, '[[status 429]] [[only busy]] patience');
  await waitUntil('the chat to wait', async () => {
    const { json } = await owner.client.get<{ status: string }>(`/api/chats/${chatId}`);
    return json.status === 'waiting' ? true : undefined;
  });
  await owner.client.patch(`/api/providers/${id}`, { shared: true });
  expect(await stream.waitForEnd()).toMatchObject({ event: 'stream_end' });
  expect(readBy('helper')).toHaveLength(1);
});

test("a member's test of somebody else's account is refused, makes no call and enables nothing", async () => {
  const id = await addAccount(owner, 'disabled');
  const { system } = instance.api.database;
  await system.query(
    `update provider_accounts set disabled_at = now(), disabled_reason = 'wrong key',
      cooldown_until = now() + interval '1 hour' where id = $1`,
    [id],
  );
  expect((await member.client.post(`/api/providers/${id}/test`)).status).toBe(403);
  expect(readBy('disabled')).toEqual([]);
  expect((await owner.client.get('/api/providers')).json).toMatchObject([{ id, status: 'disabled' }]);
  expect((await owner.client.post(`/api/providers/${id}/test`)).json).toMatchObject({ ok: true });
  expect((await owner.client.get('/api/providers')).json).toMatchObject([{ id, status: 'active' }]);
});
