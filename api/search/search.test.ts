import { beforeAll, describe, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { enterMessages } from '../../db/search/enter-messages.ts';
import { acceptMessage } from '../../db/turns/accept-message.ts';
import { createChat, registerUser, type TestUser } from '../../test/support/factories.ts';
import { registerColleague } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { waitUntil } from '../../test/support/wait-until.ts';

interface Found {
  readonly results: readonly {
    readonly chat_id: string;
    readonly chat_title: string;
    readonly message_id: string;
    readonly excerpt: string;
    readonly role: string;
    readonly created_at: string;
  }[];
  readonly total: number;
  readonly query: string;
}

// The index of the search is one of all organizations.
const served = serveTestApi({ isOwn: true });
let user: TestUser;
let chatId: string;

beforeAll(async () => {
  user = await registerUser(served.url);
  chatId = await createChat(user.client);
});

async function say(who: TestUser, where: string, content: string): Promise<string> {
  const owner = { orgId: who.orgId, userId: who.id };
  const message = { chatId: where, content, clientMessageId: undefined };
  return (await acceptMessage(served.api.database, owner, message)).messageId;
}

/** Says something, and has it entered. */
async function sendMessage(content: string, where = chatId): Promise<string> {
  const id = await say(user, where, content);
  await enterMessages(served.api.database);
  return id;
}

async function search(q: string, rest = '', who = user): Promise<Found> {
  const answer = await who.client.get<Found>(`/api/chats/search?q=${encodeURIComponent(q)}${rest}`);
  expect(answer.status).toBe(200);
  return answer.json;
}

const idsOf = async (q: string, who = user) => (await search(q, '', who)).results.map((each) => each.message_id);

describe('a search', () => {
  test('finds a message by its words, their beginnings and phrases, and says where it is', async () => {
    const id = await sendMessage('The quarterly <b>report</b> says that sales rose.');
    const found = await search('quarterly repo');
    expect(found).toEqual({
      results: [
        {
          chat_id: chatId,
          chat_title: 'The quarterly <b>report</b> says that sales rose.',
          message_id: id,
          excerpt: 'The <mark>quarterly</mark> &lt;b&gt;<mark>report</mark>&lt;/b&gt; says that sales rose.',
          role: 'user',
          created_at: expect.any(String),
        },
      ],
      total: 1,
      query: 'quarterly repo',
    });
    for (const q of ['SALES', 'sal', '"that sales rose"', 'rose "says that"', 'Says-That'])
      expect([q, await idsOf(q)]).toEqual([q, [id]]);
    for (const q of ['quarterlyx', '"sales that"', 'repo quarterly', '"sal"', 'report absent', '!!'])
      expect([q, await search(q)]).toEqual([q, { results: [], total: 0, query: q }]);
  });

  test.each([
    ['Übergröße ist schön', 'ubergrosse'],
    ['Привет, Ёжик', 'ежик'],
    ['これは日本語の文章です', '日本語'],
    ['これは魚の文章です', '魚'],
    ['これは鳥', '鳥'],
    ['ภาษาไทย', 'ไทย'],
    ['Ça coûte 12,50 €', 'coute "12,50"'],
    ['मुझे हिन्दी आती है', 'हिन्दी'],
    ["it''s \\ a 'quote' | & ! : * <-> x", "it''s 'quote' | & ! \\ :*"],
  ])('finds %j by %j', async (content, q) => {
    const id = await sendMessage(content);
    expect(await idsOf(q)).toEqual([id]);
  });

  test('shows newer messages first among equal ones, and those with more of the words before them', async () => {
    const { system } = served.api.database;
    const old = await say(user, chatId, 'A llama, once.');
    await system.query("update messages set created_at = now() - interval '2 years' where id = $1", [old]);
    const recent = await sendMessage('A llama, again.');
    const often = await sendMessage('A llama llama llama.');
    expect(await idsOf('llama')).toEqual([often, recent, old]);
  });

  test('is answered page by page', async () => {
    const ids = new Set<string>();
    for (let n = 0; n < 5; n += 1) ids.add(await say(user, chatId, `The penguin number ${n}`));
    await enterMessages(served.api.database);
    const seen = [];
    for (const page of [1, 2, 3, 4]) {
      const found = await search('penguin', `&page=${page}&per_page=2`);
      expect(found.total).toBe(5);
      seen.push(...found.results.map(({ message_id: id }) => id));
    }
    expect([seen.length, new Set(seen)]).toEqual([5, ids]);
  });

  test('finds messages to and answers of sub-agents, and nothing of deleted chats until they are restored', async () => {
    const { system } = served.api.database;
    const root = await createChat(user.client);
    const below = uuidv7();
    await system.query(
      `insert into chats (id, org_id, user_id, agent_id, title, parent_chat_id)
        select $1, org_id, user_id, agent_id, 'Sub', id from chats where id = $2`,
      [below, root],
    );
    await sendMessage('The walrus is asked for', root);
    await system.query(
      `insert into messages (id, org_id, chat_id, turn_id, role, content)
        select $1, org_id, $2, turn_id, 'assistant', 'The walrus was found' from messages where chat_id = $3`,
      [uuidv7(), below, root],
    );
    await enterMessages(served.api.database);
    const chats = async () => new Set((await search('walrus')).results.map((each) => each.chat_id));
    expect(await chats()).toEqual(new Set([root, below]));
    await user.client.delete(`/api/chats/${root}`);
    expect((await search('walrus')).total).toBe(0);
    await user.client.patch(`/api/chats/${root}/restore`);
    expect(await chats()).toEqual(new Set([root, below]));
  });

  test('finds nothing of other people, of one organization or of another', async () => {
    const colleague = await registerColleague(served.api, user, 'admin');
    const stranger = await registerUser(served.url);
    const mine = await sendMessage('The zebra is mine');
    for (const other of [colleague, stranger]) {
      expect(await idsOf('zebra', other)).toEqual([]);
      const theirs = await say(other, await createChat(other.client), 'The zebra is theirs');
      await enterMessages(served.api.database);
      expect(await idsOf('zebra', other)).toEqual([theirs]);
    }
    expect(await idsOf('zebra')).toEqual([mine]);
  });

  test.each([
    ['q=a', 'q'],
    ['q=%20%20a%20', 'q'],
    [`q=${'x'.repeat(501)}`, 'q'],
    ['page=1', 'q'],
    ['q=ab&per_page=51', 'per_page'],
    ['q=ab&page=0', 'page'],
  ])('is rejected for %j', async (query, name) => {
    const answer = await user.client.get(`/api/chats/search?${query}`);
    expect([answer.status, answer.json]).toMatchObject([422, { detail: [{ loc: ['query', name] }] }]);
  });
});

describe('the index of the search', () => {
  test('has what was stored before a search, also before a worker enters it', async () => {
    const id = await say(user, chatId, 'The platypus');
    expect(await idsOf('platypus')).toEqual([id]);
    await enterMessages(served.api.database);
    expect(await idsOf('platypus')).toEqual([id]);
  });

  test('contains each message once, however often and by however many workers it is filled', async () => {
    const { system } = served.api.database;
    for (let n = 0; n < 3; n += 1) await say(user, chatId, `The ostrich number ${n}`);
    await Promise.all([enterMessages(served.api.database), enterMessages(served.api.database)]);
    await enterMessages(served.api.database);
    expect((await search('ostrich')).total).toBe(3);
    const { rows } = await system.query(
      `select (select count(*) from messages)::int as messages, (select count(*) from message_words)::int as entered,
        (select sum(messages) from word_owners)::int as counted`,
    );
    const [{ messages, entered, counted }] = rows as [Record<string, number>];
    expect([entered, counted]).toEqual([messages, messages]);
  });

  test('takes the longest messages, of the most words and of none', async () => {
    const words = Array.from({ length: 40_000 }, (_, n) => `w${n}`).join(' ');
    const first = await sendMessage(`hippopotamus ${words.slice(0, 190_000)}`);
    await sendMessage('ε '.repeat(100_000));
    await sendMessage('語'.repeat(199_000));
    await sendMessage('—');
    expect(await idsOf('hippopotamus w12000')).toEqual([first]);
  });

  test('forgets a message with its chat', async () => {
    const { system } = served.api.database;
    const chat = await createChat(user.client);
    const id = await sendMessage('The giraffe', chat);
    await system.query('delete from chats where id = $1', [chat]);
    const { rows } = await system.query('select from message_words where message_id = $1', [id]);
    expect([await idsOf('giraffe'), rows]).toEqual([[], []]);
  });

  test('is read by newest segments until enough is found', async () => {
    const { system } = served.api.database;
    const writer = await registerUser(served.url);
    const chat = await createChat(writer.client);
    await say(writer, chat, 'The first and only axolotl');
    await system.query(
      `with past as (
        insert into turns (id, org_id, chat_id, user_id, status, attempt, step, started_at, ended_at)
        select uuidv7(), $1, $2, $3, 'completed', 1, 0, now(), now() from generate_series(1, 9000) returning id
      )
      insert into messages (id, org_id, chat_id, turn_id, role, content, user_id)
        select uuidv7(), $1, $2, id, 'user', 'Lorem ipsum dolor', $3 from past`,
      [writer.orgId, chat, writer.id],
    );
    await waitUntil('the third segment', async () => {
      // A call ends after some seconds, however little a busy machine has entered by then.
      await enterMessages(served.api.database);
      const text = 'select 1 from message_words where user_id = $1 and segment = 2 limit 1';
      return (await system.query(text, [writer.id])).rows[0];
    });
    expect((await search('lorem', '', writer)).total).toBe(1_000);
    expect((await search('axolotl', '', writer)).total).toBe(1);
  });
});
