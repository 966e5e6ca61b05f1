import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { ANNOUNCE_DUE } from '../../db/turns/ready-turn.ts';
import { createAgent, type TestUser } from '../support/factories.ts';
import { registerColleague, registerGrouped, registerManaged } from '../support/people.ts';
import type { SocketClient } from '../support/socket-client.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

interface Asked {
  readonly id: string;
  readonly status: string;
  readonly answer: string | null;
  readonly question: Readonly<Record<string, unknown>> | null;
  readonly detail?: unknown;
}

interface Detail {
  readonly name: string;
  readonly status: string;
  readonly result: string;
}

let instance: TestInstance;
let chat: OpenChat;
let socket: SocketClient;
beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());
afterEach(() => chat.close());

const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
const call = (name: string, args: object) => `[[tool ${name} ${JSON.stringify(args)}]]`;
const ask = (args: object) =>
  `${call('ask_person', { question: 'Which release?', default: '4.1', deadline: inDays(30), ...args })} [[then]] [[say done]]`;

/** Opens a chat whose agents may ask people. */
async function open(): Promise<void> {
  chat = await OpenChat.create(instance, { agent: { name: 'Lead', tools: ['ask_person', 'agent_spawn'] } });
}

async function say(content: string): Promise<void> {
  socket = await chat.connect();
  socket.send({ type: 'message', content, client_message_id: 'first' });
}

const pendingOf = async ({ client }: TestUser, more = '') =>
  (await client.get<readonly Asked[]>(`/api/approvals?status=pending${more}`)).json;

const askedOf = async (user: TestUser, more = '') =>
  waitUntil('a question', async () => (await pendingOf(user, more)).at(0));

const decide = async ({ client }: TestUser, { id }: Asked, body: object) =>
  client.post<Asked>(`/api/approvals/${id}/decision`, body);

async function results(): Promise<readonly Detail[]> {
  const end = await socket.waitForEnd();
  return (end['metadata'] as { tool_calls_detail: readonly Detail[] }).tool_calls_detail;
}

describe('a question', () => {
  test('waits for the user of the chat, whose answer is the result of the call', async () => {
    await open();
    await say(ask({ options: ['4.1', '4.2'] }));
    const asked = await askedOf(chat.user);
    expect(asked.question).toMatchObject({
      text: 'Which release?',
      options: ['4.1', '4.2'],
      default_answer: '4.1',
      user_id: chat.user.id,
      role: null,
    });
    const refused = [{ approve: true }, { approve: true, answer: '5.0' }, { approve: true, answer: ' ' }];
    for (const body of [...refused, { approve: false, answer: '4.2' }, { approve: true, answer: '4.2', arguments: {} }])
      expect((await decide(chat.user, asked, body)).status).toBe(422);
    const answered = await decide(chat.user, asked, { approve: true, answer: '4.2', note: 'It is out' });
    expect([answered.status, answered.json]).toMatchObject([200, { status: 'answered', answer: '4.2' }]);
    const [detail] = await results();
    expect(detail).toMatchObject({ name: 'ask_person', status: 'success' });
    expect(JSON.parse(detail?.result ?? '')).toMatchObject({ answer: '4.2', note: 'It is out' });
    const second = await decide(chat.user, asked, { approve: true, answer: '4.1' });
    expect([second.status, second.json.detail]).toEqual([409, expect.stringMatching(/^The question was answered by /)]);
  });

  test('of a sub-agent reaches a member who cannot read the chat, and nobody else answers it', async () => {
    await open();
    const [grace, eve] = [
      await registerColleague(instance.api, chat.user, 'member'),
      await registerColleague(instance.api, chat.user, 'admin'),
    ];
    const { json: me } = await grace.client.get<{ email: string }>('/api/users/me');
    await createAgent(chat.user.client, { name: 'Scout', tools: ['ask_person'] });
    const task = ask({ who: me.email.toUpperCase() });
    await say(`${call('agent_spawn', { agent: 'Scout', task })} [[then]] [[say done]]`);
    const asked = await askedOf(grace);
    expect(asked.question).toMatchObject({ user_id: grace.id });
    // Who reads the chat sees that it waits, but is not asked.
    expect(await pendingOf(chat.user)).toEqual([]);
    expect(await pendingOf(chat.user, `&chat_id=${chat.id}`)).toMatchObject([{ id: asked.id }]);
    expect((await decide(chat.user, asked, { approve: true, answer: 'no' })).status).toBe(403);
    expect((await decide(eve, asked, { approve: true, answer: 'no' })).status).toBe(404);
    expect((await decide(grace, asked, { approve: true, answer: 'the latest' })).status).toBe(200);
    const [detail] = await results();
    expect(detail).toMatchObject({ name: 'agent_spawn', status: 'success' });
  });

  test('of a role is answered by a higher one too, as long as they hold it', async () => {
    await open();
    const admin = await registerColleague(instance.api, chat.user, 'admin');
    const member = await registerColleague(instance.api, chat.user, 'member');
    await say(ask({ who: 'role:admin' }));
    const asked = await askedOf(admin);
    expect(asked.question).toMatchObject({ user_id: null, role: 'admin' });
    expect(await pendingOf(member)).toEqual([]);
    await chat.user.client.patch(`/api/orgs/${chat.user.orgId}/members/${admin.id}`, { role: 'member' });
    expect((await decide(admin, asked, { approve: true, answer: 'x' })).status).toBe(404);
    expect((await decide(chat.user, asked, { approve: true, answer: '4.3' })).status).toBe(200);
    expect((await results())[0]?.result).toContain('4.3');
  });

  test('that is declined says so, with the note', async () => {
    await open();
    await say(ask({}));
    await decide(chat.user, await askedOf(chat.user), { approve: false, note: 'ask the vendor' });
    const [detail] = await results();
    expect(detail).toMatchObject({ status: 'error' });
    expect(detail?.result).toContain('ask the vendor');
  });

  test('that nobody answers has its default after the deadline', async () => {
    await open();
    await say(ask({}));
    const asked = await askedOf(chat.user);
    const { system } = instance.api.database;
    await waitUntil('the deadline to be noticed', async () => {
      // The turn may store its wait by the former deadline at any moment.
      await system.query(
        `with due as (
            update turns set waiting_until = now(), next_wake_at = now()
            where id = (select turn_id from approvals where id = $1) and not is_at_work and ended_at is null returning id
          )
          update approvals set expires_at = now() from due where turn_id = due.id and status = 'pending'`,
        [asked.id],
      );
      await system.query(ANNOUNCE_DUE.text);
      return socket.endings.length > 0 || undefined;
    });
    const [detail] = await results();
    expect(detail).toMatchObject({ status: 'success' });
    expect(JSON.parse(detail?.result ?? '')).toEqual({ answer: '4.1', answered_by: null, is_default: true });
    expect((await chat.user.client.get(`/api/approvals/${asked.id}`)).json).toMatchObject({
      status: 'expired',
      answer: '4.1',
    });
    expect((await decide(chat.user, asked, { approve: true, answer: 'late' })).status).toBe(409);
    const { json: entries } = await chat.user.client.get(`/api/audit?record_id=${asked.id}`);
    expect(entries).toMatchObject([
      { action: 'approvals.expire', actor_id: chat.user.id, record_id: asked.id, fields: ['answer'], ip: 'agent' },
    ]);
  });
});

describe('a question that cannot be asked', () => {
  const many = Array.from({ length: 10_000 }, (_, at) => `Option ${at}`);

  test.each([
    ['has a deadline in the past', { deadline: '2020-01-01T00:00:00Z' }, 'is in the past'],
    ['waits for longer than calls may', { deadline: inDays(400) }, 'must not be after'],
    ['has 10,000 options', { options: many, default: 'Option 1' }, 'options must'],
    ['has the same option twice', { options: ['4.1', '4.1'] }, 'must differ'],
    ['has a default that is no option', { options: ['5.0', '5.1'] }, 'must be one of the options'],
    ['asks nobody of the organization', { who: 'stranger@example.com' }, 'There is no member'],
    ['asks those who may not decide', { who: 'role:viewer' }, 'There is no role'],
  ])('because it %s is not stored', async (_case, args, words) => {
    await open();
    await say(ask(args));
    const [detail] = await results();
    expect(detail).toMatchObject({ name: 'ask_person', status: 'error' });
    expect(detail?.result).toContain(words);
    expect(await pendingOf(chat.user, `&chat_id=${chat.id}`)).toEqual([]);
  });

  test('because it names somebody by an address that they have chosen themselves is not stored', async () => {
    await open();
    const member = await registerManaged(instance.api, chat.user, 'member');
    await say(ask({ who: member.email }));
    expect((await results())[0]?.result).toContain('give their id');
    expect(await pendingOf(member)).toEqual([]);
  });

  test('because its person may not decide is not stored', async () => {
    await open();
    const { member } = await registerGrouped(instance.api, chat.user, ['approvals.view']);
    await say(ask({ who: member.id }));
    expect((await results())[0]?.result).toContain('has no right to answer');
  });
});
