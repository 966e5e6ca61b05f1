import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createAgent, createChat, registerUser, type TestUser } from '../../test/support/factories.ts';
import { registerColleague } from '../../test/support/people.ts';
import { insertChat } from '../../test/support/rows.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

const served = serveTestApi();
let owner: TestUser;
let member: TestUser;
let agentId: string;
let scoutId: string;
let chatId: string;
let subChatId: string;
let memberChatId: string;

interface Used {
  readonly by: TestUser;
  readonly chatId: string;
  readonly at: string;
  readonly turnId?: string;
  readonly step?: number;
  readonly model?: string;
  readonly tokens?: readonly [input: number, output: number, cached?: number];
  readonly cost?: number | null;
}

/** Stores a call of a model. */
async function use({ by, chatId: inChat, at, turnId = randomUUID(), ...used }: Used): Promise<void> {
  const { step = 0, model = 'gpt-9', tokens: [input, output, cached = 0] = [10, 5], cost = null } = used;
  await served.api.database.system.query(
    `insert into token_usage (turn_id, step, org_id, chat_id, user_id, provider_type, model, input_tokens, output_tokens,
      cached_input_tokens, estimated, cost, created_at)
     values ($1, $2, $3, $4, $5, 'openai', $6, $7, $8, $9, false, $10, $11)`,
    [turnId, step, by.orgId, inChat, by.id, model, input, output, cached, cost, at],
  );
}

interface Line {
  readonly key: string;
  readonly name: string | null;
  readonly cost_usd: number | null;
}

interface Report {
  readonly from: string;
  readonly to: string;
  readonly scope: string;
  readonly totals: Readonly<Record<string, number | null>>;
  readonly lines: readonly Line[];
}

async function report(user: TestUser, query: string) {
  return user.client.get<Report>(`/api/usage?from=2026-03-01&to=2026-03-31&${query}`);
}

const lines = async (user: TestUser, query: string) => (await report(user, query)).json.lines;

beforeAll(async () => {
  owner = await registerUser(served.url, { full_name: 'Olga Owner' });
  member = await registerColleague(served.api, owner, 'member');
  const { orgId } = owner;
  agentId = await createAgent(owner.client, { name: 'Helper' });
  scoutId = await createAgent(owner.client, { name: 'Scout' });
  chatId = await createChat(owner.client, agentId);
  memberChatId = await createChat(member.client, agentId);
  subChatId = await insertChat(served.api.database, { orgId, userId: owner.id, agentId: scoutId });
  await served.api.database.system.query('update chats set root_chat_id = $1, parent_chat_id = $1 where id = $2', [
    chatId,
    subChatId,
  ]);
  const turnId = randomUUID();
  await use({ by: owner, chatId, at: '2026-03-01T00:00:00Z', turnId, tokens: [100, 20, 40], cost: 0.0001 });
  await use({ by: owner, chatId, at: '2026-03-01T23:59:59Z', turnId, step: 1, model: 'own', tokens: [50, 7] });
  await use({ by: owner, chatId: subChatId, at: '2026-03-02T10:00:00Z', tokens: [30, 3], cost: 0.25 });
  await use({ by: member, chatId: memberChatId, at: '2026-03-31T23:00:00Z', tokens: [1, 1], cost: 0.5 });
  await use({ by: member, chatId: memberChatId, at: '2026-04-01T00:00:00Z', cost: 9 });
  await use({ by: owner, chatId, at: '2026-02-28T23:59:59Z', cost: 9 });
});

describe('the usage of an organization', () => {
  test('is broken down by day in UTC, with the totals of all lines', async () => {
    const { json, headers } = await report(owner, 'group_by=day&limit=2');
    expect(json).toMatchObject({
      from: '2026-03-01T00:00:00.000Z',
      to: '2026-04-01T00:00:00.000Z',
      scope: 'organization',
      totals: {
        turns: 3,
        calls: 4,
        input_tokens: 181,
        output_tokens: 31,
        cached_input_tokens: 40,
        cost_usd: 0.7501,
        unpriced_calls: 1,
        unpriced_tokens: 57,
      },
      lines: [
        { key: '2026-03-01', turns: 1, calls: 2, cost_usd: 0.0001 },
        { key: '2026-03-02', turns: 1, cost_usd: 0.25 },
      ],
    });
    expect(headers.get('x-total-count')).toBe('3');
    expect(await lines(owner, 'group_by=day&offset=2')).toMatchObject([{ key: '2026-03-31', cost_usd: 0.5 }]);
  });

  test('is broken down by agent, model, user and chat, the most tokens first', async () => {
    expect(await lines(owner, 'group_by=agent')).toMatchObject([
      { key: agentId, name: 'Helper', input_tokens: 151 },
      { key: scoutId, name: 'Scout', input_tokens: 30 },
    ]);
    expect(await lines(owner, 'group_by=model')).toMatchObject([
      { key: 'openai/gpt-9', name: 'openai/gpt-9', cost_usd: 0.7501 },
      { key: 'openai/own', cost_usd: null, unpriced_tokens: 57 },
    ]);
    expect(await lines(owner, 'group_by=user')).toMatchObject([
      { key: owner.id, name: 'Olga Owner', input_tokens: 180 },
      { key: member.id, name: member.email, input_tokens: 1 },
    ]);
    expect(await lines(owner, 'group_by=chat')).toMatchObject([
      { key: chatId, name: expect.any(String), calls: 3 },
      { key: memberChatId, name: null },
    ]);
  });

  test('has names of deleted agents and chats, and counts what was used in chats that are gone', async () => {
    const guest = await registerUser(served.url);
    const gone = await createAgent(guest.client, { name: 'Gone' });
    const goneChat = await createChat(guest.client, gone);
    await use({ by: guest, chatId: goneChat, at: '2026-03-05T00:00:00Z' });
    await guest.client.send('DELETE', `/api/chats/${goneChat}`);
    await guest.client.send('DELETE', `/api/agents/${gone}`);
    expect(await lines(guest, 'group_by=agent')).toMatchObject([{ key: gone, name: 'Gone' }]);
    expect(await lines(guest, 'group_by=chat')).toMatchObject([{ key: goneChat, name: expect.any(String) }]);
    await served.api.database.system.query('delete from chats where id = $1', [goneChat]);
    expect(await lines(guest, 'group_by=chat')).toMatchObject([{ key: goneChat, name: null }]);
    expect(await lines(guest, 'group_by=agent')).toMatchObject([{ key: gone, name: 'Gone', calls: 1 }]);
  });
});

describe('who sees it', () => {
  test('members see their own, and are refused that of others', async () => {
    const own = await report(member, 'group_by=user');
    expect(own.json).toMatchObject({ scope: 'own', totals: { cost_usd: 0.5 }, lines: [{ key: member.id }] });
    expect((await report(member, 'scope=organization')).status).toBe(403);
  });

  test('administrators may ask for their own', async () => {
    const { json } = await report(owner, 'scope=own&group_by=user');
    expect(json).toMatchObject({ scope: 'own', lines: [{ key: owner.id }], totals: { input_tokens: 180 } });
  });

  test('nobody sees that of other organizations', async () => {
    const stranger = await registerUser(served.url);
    expect((await report(stranger, '')).json).toMatchObject({
      lines: [],
      totals: { calls: 0, input_tokens: 0, cost_usd: null },
    });
  });
});

describe('the period', () => {
  test('is the last 30 days by default, in whole hours', async () => {
    const { json } = await owner.client.get<Report>('/api/usage');
    const hours = (Date.parse(json.to) - Date.parse(json.from)) / 3_600_000;
    expect(hours).toBe(30 * 24);
    expect(Date.parse(json.to) % 3_600_000).toBe(0);
    expect(Math.max(0, Date.now() - Date.parse(json.to))).toBeLessThan(60_000);
  });

  test('may begin and end at times of any offset', async () => {
    const query = 'from=2026-03-02T12:30:00%2B02:00&to=2026-03-02T10:15:00Z';
    const { json } = await owner.client.get<Report>(`/api/usage?${query}`);
    expect(json).toMatchObject({
      from: '2026-03-02T10:00:00.000Z',
      to: '2026-03-02T11:00:00.000Z',
      totals: { input_tokens: 30 },
    });
  });

  test.each([
    ['from=2026-03-02&to=2026-03-01', 'to'],
    ['from=2020-01-01&to=2026-03-01', 'from'],
    ['from=yesterday', 'from'],
    ['to=2026-02-30', 'to'],
    ['group_by=week', 'group_by'],
    ['scope=all', 'scope'],
  ])('%s is rejected', async (query, name) => {
    const { status, json } = await owner.client.get(`/api/usage?${query}`);
    expect([status, json]).toEqual([422, { detail: [expect.objectContaining({ loc: ['query', name] })] }]);
  });
});
