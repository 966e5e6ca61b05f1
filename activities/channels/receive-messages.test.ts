import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { purgeChannelEvents } from '../../db/channels/events.ts';
import { SecretBox } from '../../db/core/secret-box.ts';
import { acceptMessage } from '../../db/turns/accept-message.ts';
import { claimTurn } from '../../db/turns/claim/claim-turn.ts';
import { finishTurn, type TurnOutcome } from '../../db/turns/steps/finish-turn.ts';
import { parsePrivateHosts } from '../../domain/network/addresses.ts';
import { parseOrgLimits } from '../../domain/orgs.ts';
import { addChannel } from '../../test/support/add-channel.ts';
import { createAgent, registerUser, type TestUser } from '../../test/support/factories.ts';
import { FakeSlack, sendAsSlack, slackEvent, TEAM, tooManyRequests } from '../../test/support/fake-slack.ts';
import { json, type Reply } from '../../test/support/outside-server.ts';
import { registerColleague, registerGrouped, registerManaged } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { TEST_SECRET_KEY } from '../../test/support/test-api.ts';
import { webhookDeps } from '../../test/support/webhook-deps.ts';
import { createGuardedFetch } from '../core/network/guarded-fetch.ts';
import { createGuardedHttp } from '../core/network/guarded-http.ts';
import { deliverWaiting } from '../webhooks.ts';
import { receiveWaiting } from './receive-messages.ts';
import { PLAIN_END } from '../../test/support/plain-end.ts';

const served = serveTestApi({ privateHosts: '127.0.0.1:*' });
const SECRET = 'the signing secret of the app';
const STRANGER = expect.stringContaining('members of my organization only');
const UNIDENTIFIED = expect.stringContaining('does not tell me who you are');
const ENDED = { hasEnded: true, waitMs: 0 };
const broken: Reply = (response) => void response.writeHead(500).end('oops');

type Fields = Record<string, unknown>;

let slack: FakeSlack;
let guarded: ReturnType<typeof createGuardedFetch>;
let user: TestUser;
let agentId: string;
let integrationId: string;
let channelId: string;

beforeAll(async () => {
  slack = await FakeSlack.start();
  guarded = createGuardedFetch(parsePrivateHosts(`127.0.0.1:${slack.port}`));
});
afterAll(async () => {
  slack.close();
  await guarded.close();
});
beforeEach(async () => {
  slack.clear();
  user = await registerUser(served.url);
  agentId = await createAgent(user.client);
  const integration = { kind: 'slack', base_url: slack.url, credentials: { token: 'xoxb-of-the-tests' } };
  const channel = { kind: 'slack', agentId, secret: SECRET, integration } as const;
  ({ channelId, integrationId } = await addChannel(user, channel));
  introduce('U1', user.email);
});

/** Has Slack know somebody. */
function introduce(id: string, email: string, more: Fields = {}): void {
  slack.users.set(id, { id, team_id: TEAM, is_bot: false, is_email_confirmed: true, profile: { email }, ...more });
}

const query = async <T extends object>(text: string, values: unknown[] = [channelId]) =>
  (await served.api.database.system.query<T>(text, values)).rows;
const statuses = async () =>
  (await query<{ status: string }>('select status from channel_events where channel_id = $1 order by id')).map(
    ({ status }) => status,
  );
const chatsOf = async (by = user) =>
  (await by.client.get<{ id: string; title: string; origin: string }[]>('/api/chats')).json;
const questionsIn = async (chatId: string, by = user) =>
  (await by.client.get<{ role: string; content: string }[]>(`/api/chats/${chatId}/messages`)).json
    .filter(({ role }) => role === 'user')
    .map(({ content }) => content);
const channel = async () => (await user.client.get<Fields>(`/api/channels/${channelId}`)).json;

async function receive(): Promise<ReturnType<typeof receiveWaiting> extends Promise<infer T> ? T : never> {
  const deps = {
    database: served.api.database,
    box: new SecretBox([TEST_SECRET_KEY]),
    http: createGuardedHttp(guarded.fetch),
    sockets: guarded,
    orgLimits: parseOrgLimits(''),
    log: pino({ level: 'silent' }),
  };
  return receiveWaiting(deps, { orgId: user.orgId, channelId }, new AbortController().signal);
}

const waitNoLonger = async () => {
  await query('update channel_events set next_attempt_at = now() where channel_id = $1');
};

/** Has somebody write in Slack, and what they wrote handled. */
async function write(text: string, event: Fields = {}): Promise<void> {
  const { status } = await sendAsSlack(served.url, channelId, slackEvent({ text, ts: '17.01', ...event }), {
    secret: SECRET,
  });
  expect(status).toBe(200);
  expect(await receive()).toEqual(ENDED);
}

/** Ends the turn of a chat with an answer, and has that delivered. */
async function answer(chatId: string, content: string, outcome: Partial<TurnOutcome> = {}) {
  const { orgId } = user;
  const turn = await claimTurn(served.api.database, { orgId, chatId });
  if (turn === undefined) throw new Error('no turn is open');
  const status = outcome.status ?? 'completed';
  await finishTurn(served.api.database, {
    orgId,
    chatId,
    turnId: turn.id,
    attempt: turn.attempt,
    step: turn.step,
    agentId,
    status,
    content,
    metadata: { status, usage: { input_tokens: 3, output_tokens: 2 } },
    ...PLAIN_END,
    ...outcome,
  });
  return deliver(chatId);
}

async function deliver(chatId: string) {
  const [target] = await query<{ id: string }>('select id from webhook_targets where thread_chat_id = $1', [chatId]);
  const deps = await webhookDeps(served.api.database, guarded);
  return deliverWaiting(deps, { orgId: user.orgId, targetId: target?.id ?? '' }, new AbortController().signal);
}

describe('a mention', () => {
  test('begins a chat of the sender, and the answer is written over the message that was posted for it in the thread', async () => {
    await write('<@UBOT> How are *sales*?');
    const [chat, ...more] = await chatsOf();
    expect([chat, more]).toEqual([expect.objectContaining({ title: 'How are *sales*?', origin: 'person' }), []]);
    expect(slack.messages).toEqual([{ channel: 'C1', ts: '1700000000.000001', thread: '17.01', texts: ['…'] }]);
    expect(await answer(chat?.id ?? '', 'They **rose** by 5 <%>.')).toEqual(ENDED);
    expect(slack.messages[0]?.texts).toEqual(['…', 'They *rose* by 5 &lt;%&gt;.']);
    expect(slack.messages).toHaveLength(1);
    expect(await statuses()).toEqual(['accepted']);
  });

  test('in the same thread goes on in the same chat, and in another one begins another', async () => {
    await write('<@UBOT> first');
    await write('<@UBOT> second', { ts: '17.02', thread_ts: '17.01' });
    await write('<@UBOT> elsewhere', { ts: '18.01' });
    const chats = await chatsOf();
    expect(chats.map(({ title }) => title).toSorted()).toEqual(['elsewhere', 'first']);
    const first = chats.find(({ title }) => title === 'first')?.id ?? '';
    expect((await questionsIn(first)).toSorted()).toEqual(['first', 'second']);
  });

  test('of another member in the thread is in a chat of their own, with their rights', async () => {
    const colleague = await registerColleague(served.api, user, 'member');
    introduce('U2', colleague.email.toUpperCase());
    await write('<@UBOT> mine');
    await write('<@UBOT> theirs', { user: 'U2', ts: '17.02', thread_ts: '17.01' });
    expect((await chatsOf()).map(({ title }) => title)).toEqual(['mine']);
    expect((await chatsOf(colleague)).map(({ title }) => title)).toEqual(['theirs']);
  });

  test('whose chat was deleted begins another one', async () => {
    await write('<@UBOT> first');
    const [chat] = await chatsOf();
    await user.client.delete(`/api/chats/${chat?.id}`);
    await write('<@UBOT> second', { ts: '17.02', thread_ts: '17.01' });
    expect((await chatsOf()).map(({ title }) => title)).toEqual(['second']);
  });

  test('is one message, however often it is handled', async () => {
    await write('<@UBOT> once');
    await query("update channel_events set status = 'pending', message = $2 where channel_id = $1", [
      channelId,
      JSON.stringify({ channel: 'C1', thread: '17.01', sender: 'U1', team: TEAM, text: 'once' }),
    ]);
    expect(await receive()).toEqual(ENDED);
    const [chat] = await chatsOf();
    expect(await questionsIn(chat?.id ?? '')).toEqual(['once']);
    expect(slack.shown).toEqual(['…']);
  });
});

describe('a direct message', () => {
  const direct = { type: 'message', channel_type: 'im', channel: 'D1' };

  test('goes on in one chat, and is answered outside of threads', async () => {
    await write('first', { ...direct, ts: '17.01' });
    await write('second', { ...direct, ts: '17.02' });
    const chats = await chatsOf();
    expect(chats).toHaveLength(1);
    await answer(chats[0]?.id ?? '', 'One.');
    await answer(chats[0]?.id ?? '', 'Two.');
    expect(slack.shown).toEqual(['One.', 'Two.']);
    expect(slack.messages.map(({ thread }) => thread)).toEqual([undefined, undefined]);
  });

  test('that says stop stops the answer, which says so', async () => {
    await write('Count the stars.', direct);
    await write('Stop.', direct);
    const [chat] = await chatsOf();
    const [turn] = await query<Fields>('select interrupt_requested_at from turns where chat_id = $1', [chat?.id]);
    expect(turn?.['interrupt_requested_at']).not.toBeNull();
    await answer(chat?.id ?? '', 'One, two', { status: 'interrupted' });
    expect(slack.shown).toEqual(['One, two\n\nStopped.']);
    await write('stop', direct);
    expect(slack.shown.at(-1)).toBe('There is no answer to stop.');
    expect(await statuses()).toEqual(['accepted', 'stopped', 'stopped']);
  });
});

describe('an answer', () => {
  test('to a question of the console is not posted', async () => {
    await write('<@UBOT> Hello');
    const [chat] = await chatsOf();
    const chatId = chat?.id ?? '';
    await answer(chatId, 'Hello.');
    const own = { chatId, content: 'A secret question', clientMessageId: 'channel of mine' };
    await acceptMessage(served.api.database, { orgId: user.orgId, userId: user.id }, own);
    await answer(chatId, 'A secret answer');
    expect(slack.shown).toEqual(['Hello.']);
  });

  test('to a member is not replaced by one to another, whose message has the id of theirs', async () => {
    const colleague = await registerColleague(served.api, user, 'member');
    introduce('U2', colleague.email);
    await write('<@UBOT> mine');
    await write('<@UBOT> theirs', { user: 'U2', ts: '17.02', thread_ts: '17.01' });
    const [[mine], [theirs]] = await Promise.all([chatsOf(), chatsOf(colleague)]);
    await answer(mine?.id ?? '', 'One.');
    await answer(theirs?.id ?? '', 'Two.');
    const { json: messages } = await user.client.get<Fields[]>(`/api/chats/${mine?.id}/messages`);
    const [id] = messages.flatMap(({ client_message_id }) => client_message_id ?? []);
    const forged = { content: 'Say that I owe nothing', client_message_id: id };
    expect((await colleague.client.post(`/api/chats/${theirs?.id}/stream`, forged)).status).toBe(422);
    expect(id).toMatch(/^channel /);
    expect(slack.shown).toEqual(['One.', 'Two.']);
  });

  test('that the token limit has cut says so', async () => {
    await write('<@UBOT> Hello');
    const [chat] = await chatsOf();
    await answer(chat?.id ?? '', 'The first', { metadata: { status: 'completed', finish_reason: 'length' } });
    expect(slack.shown).toEqual([expect.stringMatching(/^The first\n\n.*token limit/)]);
  });

  test('in a chat that was deleted meanwhile is not posted, which the thread is told', async () => {
    await write('<@UBOT> Hello');
    const [chat] = await chatsOf();
    const chatId = chat?.id ?? '';
    slack.faults.set('chat.update', [json({ ok: false, error: 'internal_error' })]);
    expect((await answer(chatId, 'A secret.')).waitMs).toBeGreaterThan(0);
    expect((await user.client.delete(`/api/chats/${chatId}`)).status).toBe(204);
    await query('update webhook_deliveries set next_attempt_at = now() where org_id = $1', [user.orgId]);
    expect(await deliver(chatId)).toEqual(ENDED);
    expect(slack.shown).toEqual(['The chat was deleted.']);
  });

  test('that failed says why', async () => {
    await write('<@UBOT> Hello');
    const [chat] = await chatsOf();
    const metadata = { status: 'failed', error: 'No provider is set up' };
    await answer(chat?.id ?? '', '', { status: 'failed', metadata });
    expect(slack.shown).toEqual(['No provider is set up']);
  });

  test('that is too long is cut, with the address of the chat', async () => {
    await write('<@UBOT> Hello');
    const [chat] = await chatsOf();
    await answer(chat?.id ?? '', 'long '.repeat(4_000));
    expect(slack.shown[0]).toMatch(/\[…\]/);
    expect(slack.shown[0]).toContain(`/o/${user.orgId}/chats/${chat?.id}`);
  });

  test('is posted once Slack lets it, and anew when the first message was deleted', async () => {
    await write('<@UBOT> Hello');
    const [chat] = await chatsOf();
    const chatId = chat?.id ?? '';
    slack.faults.set('chat.update', [tooManyRequests, ...Array.from({ length: 9 }, () => broken)]);
    expect((await answer(chatId, 'Hello.')).waitMs).toBeGreaterThan(0);
    expect((await channel())['error']).toMatch(/\w/);
    const again = async () => {
      await query('update webhook_deliveries set next_attempt_at = now() where org_id = $1', [user.orgId]);
      return deliver(chatId);
    };
    expect((await again()).hasEnded).toBe(false);
    slack.faults.set('chat.update', [json({ ok: false, error: 'message_not_found' })]);
    expect(await again()).toEqual(ENDED);
    expect(slack.shown).toEqual(['…', 'Hello.']);
    expect((await channel())['error']).toBeNull();
  });

  test('whose thread is gone is given up at once, until somebody writes there again', async () => {
    await write('<@UBOT> Hello');
    const [chat] = await chatsOf();
    const chatId = chat?.id ?? '';
    slack.faults.set('chat.update', [json({ ok: false, error: 'channel_not_found' })]);
    await answer(chatId, 'Lost.');
    const target = 'select paused_at is not null as "isPaused" from webhook_targets where thread_chat_id = $1';
    expect(await query(target, [chatId])).toEqual([{ isPaused: true }]);
    await write('<@UBOT> Still here?', { ts: '17.02', thread_ts: '17.01' });
    expect(await query(target, [chatId])).toEqual([{ isPaused: false }]);
    await answer(chatId, 'Here.');
    expect(slack.shown.at(-1)).toBe('Here.');
  });
});

describe('an answer after a long wait', () => {
  const past = async (days: number) => {
    const age = `- interval '${days} days'`;
    await query(`update channel_events set received_at = received_at ${age} where channel_id = $1`);
    await query(`update turns set ended_at = ended_at ${age} where org_id = $1`, [user.orgId]);
    await purgeChannelEvents(served.api.database);
  };

  test('such as one for an approval still finds its thread, which is forgotten after it', async () => {
    await write('<@UBOT> Hello');
    await past(80);
    const [chat] = await chatsOf();
    await answer(chat?.id ?? '', 'Approved at last.');
    expect(slack.shown).toEqual(['Approved at last.']);
    await past(13);
    expect(await statuses()).toEqual(['accepted']);
    await past(2);
    expect(await statuses()).toEqual([]);
  });

  test('is posted by other credentials of the same workspace', async () => {
    await write('<@UBOT> Hello');
    const [chat] = await chatsOf();
    await user.client.patch(`/api/integrations/${integrationId}`, { credentials: { token: 'xoxb-renewed' } });
    expect(await answer(chat?.id ?? '', 'One.')).toEqual(ENDED);
    expect(slack.shown).toEqual(['One.']);
  });

  test('is not posted by an integration of another workspace, nor by one at another address', async () => {
    await write('<@UBOT> Hello');
    await write('<@UBOT> Again', { ts: '18.01' });
    const chats = await chatsOf();
    const [first, second] = ['Hello', 'Again'].map((asked) => chats.find(({ title }) => title === asked));
    slack.team = 'T2';
    await user.client.patch(`/api/integrations/${integrationId}`, { credentials: { token: 'xoxb-another' } });
    expect(await answer(first?.id ?? '', 'One.')).toEqual(ENDED);
    slack.team = TEAM;
    const base_url = `${slack.server.url}/elsewhere`;
    await user.client.patch(`/api/integrations/${integrationId}`, { base_url, credentials: { token: 'xoxb-another' } });
    await user.client.patch(`/api/channels/${channelId}`, { integration_id: integrationId });
    expect(await answer(second?.id ?? '', 'Two.')).toEqual(ENDED);
    expect(slack.shown).toEqual(['…', '…']);
    expect((await channel())['error']).toBeNull();
    await write('<@UBOT> Anew', { ts: '18.02', thread_ts: '18.01' });
    await answer(second?.id ?? '', 'Three.');
    expect(slack.shown).toEqual(['…', '…', 'Three.']);
  });
});

describe('a stranger', () => {
  test.each([
    ['has no account', { profile: { email: 'nobody@example.com' } }],
    ['has no address', { profile: {} }],
    ['is of another workspace', { team_id: 'T2' }],
    ['is a stranger by the word of Slack', { is_stranger: true }],
    ['has an address that is not confirmed', { is_email_confirmed: false }],
    ['has left', { deleted: true }],
    ['is a bot', { is_bot: true }],
  ])('who %s gets one sentence a day, and nothing else', async (_who, more) => {
    introduce('U9', user.email, more);
    await write('<@UBOT> Tell me all.', { user: 'U9' });
    await write('<@UBOT> Now!', { user: 'U9' });
    expect(slack.shown).toEqual([STRANGER]);
    expect(await statuses()).toEqual(['refused', 'refused']);
    expect(await chatsOf()).toEqual([]);
  });

  test('whom Slack does not know, or who is a member elsewhere only, is one too', async () => {
    const other = await registerUser(served.url);
    introduce('U8', other.email);
    await write('<@UBOT> Hi', { user: 'U8' });
    await write('<@UBOT> Hi', { user: 'U404' });
    expect(slack.shown).toEqual([STRANGER, STRANGER]);
  });

  test('is who has another address than the one that was invited, unless it is an administrator', async () => {
    const colleague = await registerColleague(served.api, user, 'member');
    const admin = await registerColleague(served.api, user, 'admin');
    for (const [{ client, password }, email, id] of [
      [colleague, 'ceo@example.com', 'U5'],
      [admin, 'boss@example.com', 'U6'],
    ] as const) {
      const changed = await client.send('PUT', '/api/users/me/email', { email, current_password: password });
      expect(changed.status).toBe(200);
      introduce(id, email);
      await write('<@UBOT> Hi', { user: id });
    }
    expect(await statuses()).toEqual(['refused', 'accepted']);
    expect(await chatsOf(colleague)).toEqual([]);
    expect(await chatsOf(admin)).toHaveLength(1);
  });

  test('is who has chosen their address themselves when they were invited', async () => {
    const member = await registerManaged(served.api, user, 'member');
    introduce('U7', member.email);
    await write('<@UBOT> Hi', { user: 'U7' });
    expect(await statuses()).toEqual(['refused']);
    await user.client.patch(`/api/channels/${channelId}`, { people: { U7: member.id } });
    await write('<@UBOT> Hi', { user: 'U7' });
    expect(await chatsOf(member)).toHaveLength(1);
  });

  test('is known by the people of the channel, before their address', async () => {
    const colleague = await registerColleague(served.api, user, 'member');
    await user.client.patch(`/api/channels/${channelId}`, { people: { U1: colleague.id } });
    await write('<@UBOT> Hi');
    expect(await chatsOf()).toEqual([]);
    expect(await chatsOf(colleague)).toHaveLength(1);
    expect(slack.callsOf('users.info')).toBe(0);
  });
});

describe('the rights of the account', () => {
  test('decide which agent answers, and the thread says so', async () => {
    const { member, groupPath } = await registerGrouped(served.api, user, ['agents.view']);
    const other = await createAgent(user.client, { name: 'Other' });
    await user.client.patch(groupPath, { capabilities: { agent_ids: [other] } });
    introduce('U3', member.email);
    await write('<@UBOT> Hi', { user: 'U3' });
    expect(slack.shown).toEqual(['Your permission groups do not let you use the agent of this chat.']);
    expect(await statuses()).toEqual(['refused']);
  });

  test('end with the agent, which the thread is told', async () => {
    await user.client.delete(`/api/agents/${agentId}`);
    await write('<@UBOT> Hi');
    expect(slack.shown).toEqual(['Agent not found.']);
  });
});

describe('a channel', () => {
  test('rests once its integration was changed, until that is set again', async () => {
    const path = `/api/channels/${channelId}`;
    await user.client.patch(`/api/integrations/${integrationId}`, { credentials: { token: 'xoxb-another' } });
    await write('<@UBOT> Hi');
    expect(slack.messages).toEqual([]);
    expect((await channel())['error']).toMatch(/integration was changed/);
    expect((await user.client.patch<Fields>(path, { integration_id: integrationId })).json['error']).toBeNull();
    await write('<@UBOT> Hi');
    expect(slack.shown).toEqual(['…']);
  });

  test('answers in words while Slack does not say who has written, and keeps nobody waiting for long', async () => {
    const refused = json({ ok: false, error: 'missing_scope', needed: 'users:read' });
    slack.faults.set(
      'users.info',
      Array.from({ length: 4 }, () => refused),
    );
    for (const text of ['<@UBOT> first', '<@UBOT> second', '<@UBOT> third'])
      await sendAsSlack(served.url, channelId, slackEvent({ text, ts: '17.01' }), { secret: SECRET });
    for (let attempt = 1; attempt < 3; attempt += 1) {
      expect(await receive()).toMatchObject({ hasEnded: false });
      await waitNoLonger();
    }
    expect(await receive()).toEqual(ENDED);
    expect(await statuses()).toEqual(['failed', 'failed', 'accepted']);
    expect(slack.shown).toEqual([UNIDENTIFIED, UNIDENTIFIED, '…']);
    expect((await channel())['error']).toBeNull();
  });

  test('answers in words where Slack asks to wait for long', async () => {
    slack.faults.set('users.info', [
      (response) => void response.writeHead(429, { 'retry-after': '3600' }).end('{"ok":false}'),
    ]);
    await write('<@UBOT> Hi');
    expect(slack.shown).toEqual([UNIDENTIFIED]);
    expect((await channel())['error']).toMatch(/\w/);
  });

  test('handles nothing twice or out of order while Slack fails, and gives a message up after some attempts', async () => {
    const busy: Reply = (response) => void response.writeHead(429, { 'retry-after': '60' }).end('{"ok":false}');
    const refused = json({ ok: false, error: 'missing_scope', needed: 'users:read' });
    slack.faults.set('users.info', [busy, ...Array.from({ length: 5 }, () => refused)]);
    slack.faults.set(
      'chat.postMessage',
      Array.from({ length: 4 }, () => broken),
    );
    for (const text of ['<@UBOT> first', '<@UBOT> second'])
      await sendAsSlack(served.url, channelId, slackEvent({ text, ts: '17.01' }), { secret: SECRET });
    for (let attempt = 1; attempt < 6; attempt += 1) {
      const { hasEnded, waitMs } = await receive();
      expect([attempt, hasEnded, waitMs >= (attempt === 1 ? 50_000 : 1)]).toEqual([attempt, false, true]);
      await waitNoLonger();
    }
    expect(await statuses()).toEqual(['pending', 'pending']);
    expect((await channel())['error']).toMatch(/users:read/);
    expect(await receive()).toEqual(ENDED);
    expect(await statuses()).toEqual(['failed', 'accepted']);
    expect((await channel())['error']).toBeNull();
  });

  test('counts a connection that Slack closes as an attempt, and says so', async () => {
    const cut: Reply = (response) => void response.destroy();
    slack.faults.set(
      'users.info',
      Array.from({ length: 9 }, () => cut),
    );
    await sendAsSlack(served.url, channelId, slackEvent({ text: '<@UBOT> Hi', ts: '17.01' }), { secret: SECRET });
    expect(await receive()).toMatchObject({ hasEnded: false });
    expect(await query('select tries from channel_events where channel_id = $1')).toEqual([{ tries: 1 }]);
    expect((await channel())['error']).toMatch(/closed the connection/);
    slack.faults.clear();
    await waitNoLonger();
    expect(await receive()).toEqual(ENDED);
    expect(await statuses()).toEqual(['accepted']);
  });

  test('counts an attempt that Slack answers with characters that cannot be stored', async () => {
    const unstorable = json({ ok: false, error: 'no\u0000\uD800' });
    slack.faults.set('users.info', [unstorable]);
    await sendAsSlack(served.url, channelId, slackEvent({ text: '<@UBOT> Hi', ts: '17.01' }), { secret: SECRET });
    expect(await receive()).toMatchObject({ hasEnded: false });
    expect((await channel())['error']).toContain('Slack answers: no');
    await waitNoLonger();
    expect(await receive()).toEqual(ENDED);
    slack.faults.set('chat.update', [unstorable]);
    const [chat] = await chatsOf();
    expect(await answer(chat?.id ?? '', 'Hello.')).toMatchObject({ hasEnded: false });
    expect((await channel())['error']).toContain('Slack answers: no');
  });

  test('refuses a stranger also where the notice cannot be posted', async () => {
    slack.faults.set('chat.postMessage', [json({ ok: false, error: 'is_archived' })]);
    await write('<@UBOT> Hi', { user: 'U-unknown' });
    expect(await statuses()).toEqual(['refused']);
  });

  test('answers in a message of its own where Slack did not take the first one', async () => {
    slack.faults.set('chat.postMessage', [tooManyRequests]);
    await write('<@UBOT> Hi');
    expect(slack.messages).toEqual([]);
    const [chat] = await chatsOf();
    await answer(chat?.id ?? '', 'Hello.');
    expect(slack.messages).toEqual([expect.objectContaining({ thread: '17.01', texts: ['Hello.'] })]);
  });
});
