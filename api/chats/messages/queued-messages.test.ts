import { beforeEach, describe, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { acceptMessage } from '../../../db/turns/accept-message.ts';
import { claimTurn } from '../../../db/turns/claim/claim-turn.ts';
import { enterMessages, findUnknownMessages } from '../../../db/search/enter-messages.ts';
import { NEW_MESSAGES } from '../../../domain/core/due-work.ts';
import { countAllUsage } from '../../../test/support/count-all-usage.ts';
import { createChat, registerUser, type TestUser } from '../../../test/support/factories.ts';
import { serveTestApi } from '../../../test/support/serve-test-api.ts';

interface Shown {
  readonly id: string;
  readonly role: string;
  readonly content: string;
  readonly excluded: boolean;
  readonly metadata_: Readonly<Record<string, unknown>>;
}

const served = serveTestApi();
let user: TestUser;
let chatId: string;
beforeEach(async () => {
  user = await registerUser(served.url);
  chatId = await createChat(user.client);
});

const at = (messageId: string) => `/api/chats/${chatId}/messages/${messageId}`;
const withdraw = async (messageId: string) => user.client.post<Shown>(`${at(messageId)}/withdraw`);
const change = async (messageId: string, content: string) => user.client.patch<Shown>(at(messageId), { content });
const begin = async () => claimTurn(served.api.database, { orgId: user.orgId, chatId });

async function send(content: string): Promise<string> {
  const owner = { orgId: user.orgId, userId: user.id };
  return (await acceptMessage(served.api.database, owner, { chatId, content, clientMessageId: undefined })).messageId;
}

async function bytes(): Promise<number> {
  const { rows } = await served.api.database.system.query<{ bytes: number }>(
    'select message_bytes as bytes from org_usage where org_id = $1',
    [user.orgId],
  );
  return rows[0]?.bytes ?? 0;
}

async function log(): Promise<Shown[]> {
  return (await user.client.get<Shown[]>(`/api/chats/${chatId}/messages`)).json;
}

describe('a message that waits', () => {
  test('is withdrawn with its turn, which the next one does not wait for, and models see neither message', async () => {
    const [first, second, third] = [await send('one'), await send('two'), await send('three')];
    expect(await withdraw(second)).toMatchObject({ status: 200, json: { id: second, content: 'two', excluded: true } });
    expect(await withdraw(first)).toMatchObject({ status: 200 });
    const turn = await begin();
    expect(turn?.history.turns.at(-1)).toMatchObject({ question: 'three' });
    expect(turn?.history.turns.slice(0, -1)).toMatchObject([
      { question: null, answer: null },
      { question: null, answer: null },
    ]);
    const ended = { role: 'assistant', content: '', excluded: true };
    expect(await log()).toMatchObject([
      { id: first, excluded: true },
      { id: second, excluded: true },
      { id: third, excluded: false },
      { ...ended, metadata_: { status: 'interrupted', withdrawn: true } },
      { ...ended, metadata_: { status: 'interrupted', withdrawn: true } },
    ]);
  });

  test('is withdrawn once, however often that is asked', async () => {
    const id = await send('one');
    const answers = await Promise.all([withdraw(id), withdraw(id), withdraw(id)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await log()).toHaveLength(2);
    expect((await user.client.get(`/api/chats/${chatId}`)).json).toMatchObject({ status: 'idle' });
    expect(await begin()).toBeUndefined();
  });

  test('is answered with its new text, in its old position', async () => {
    const [first] = [await send('one'), await send('two')];
    expect(await change(first, 'uno')).toMatchObject({ status: 200, json: { id: first, content: 'uno' } });
    expect((await begin())?.history.turns).toMatchObject([{ question: 'uno' }]);
  });

  test('is found by its new text and no longer by the old one', async () => {
    const id = await send('the elephant');
    await enterMessages(served.api.database);
    await change(id, 'the giraffe');
    const found = async (query: string) =>
      (await user.client.get<{ total: number }>(`/api/chats/search?q=${query}`)).json.total;
    expect([await found('giraffe'), await found('elephant')]).toEqual([1, 0]);
  });

  test('is entered into the search again by a worker, however old it is, and once', async () => {
    const { database } = served.api;
    const old = uuidv7({ msecs: Date.now() - 3_600_000 });
    await database.system.query('update messages set id = $1 where id = $2', [old, await send('the elephant')]);
    await database.system.query("update search_progress set entered_until = now() - interval '2 hours'");
    await enterMessages(database);
    for (const text of ['the giraffe', 'the okapi']) expect((await change(old, text)).status).toBe(200);
    expect(await findUnknownMessages(database)).toEqual([NEW_MESSAGES]);
    await enterMessages(database);
    expect(await findUnknownMessages(database)).toEqual([]);
    await send('the lynx');
    expect(await findUnknownMessages(database)).toEqual([NEW_MESSAGES]);
    const { rows } = await database.system.query(
      `select words::text like '%okapi%' as "isNew", words::text like '%elephant%' as "isOld",
        (select count(*)::int from changed_messages) as "left" from message_words where message_id = $1`,
      [old],
    );
    expect(rows).toEqual([{ isNew: true, isOld: false, left: 0 }]);
  });

  test('changes while messages are entered into the search, without waiting and without a connection of sign-ins', async () => {
    const { system } = served.api.database;
    const id = await send('one');
    const worker = await system.connect();
    try {
      await worker.query('begin');
      await worker.query('select from search_progress for update');
      expect(await change(id, 'uno')).toMatchObject({ status: 200, json: { content: 'uno' } });
    } finally {
      await worker.query('rollback');
      worker.release();
    }
  });

  test('counts with the bytes of its new text', async () => {
    const id = await send('x');
    await countAllUsage(served.api.database);
    const before = await bytes();
    for (const length of [1_001, 1, 501]) {
      await change(id, 'x'.repeat(length));
      await countAllUsage(served.api.database);
      expect(await bytes()).toBe(before + length - 1);
    }
  });

  test('counts once when it changes before it is counted', async () => {
    const added: number[] = [];
    for (const isChanged of [false, true]) {
      await countAllUsage(served.api.database);
      const before = await bytes();
      const id = await send(isChanged ? 'x' : 'x'.repeat(101));
      if (isChanged) await change(id, 'x'.repeat(101));
      await countAllUsage(served.api.database);
      added.push((await bytes()) - before);
    }
    expect(added[1]).toBe(added[0]);
  });

  test('keeps its text when the new one is empty or too long', async () => {
    const id = await send('one');
    for (const content of ['', '  ', 'x'.repeat(200_001)]) expect((await change(id, content)).status).toBe(422);
    expect(await log()).toMatchObject([{ content: 'one' }]);
  });
});

describe('a message whose turn has begun', () => {
  test('is neither withdrawn nor changed', async () => {
    const id = await send('one');
    await begin();
    const refusal = { status: 409, json: { detail: 'The message is being answered; stop the turn instead' } };
    expect(await withdraw(id)).toMatchObject(refusal);
    expect(await change(id, 'uno')).toMatchObject(refusal);
    expect(await log()).toMatchObject([{ content: 'one', excluded: false }]);
  });

  test('was not withdrawn, and one that was withdrawn never begins, when both happen at once', async () => {
    for (let round = 0; round < 30; round += 1) {
      chatId = await createChat(user.client);
      const id = await send('one');
      const [{ status }, turn] = await Promise.all([withdraw(id), begin()]);
      expect([status, turn === undefined ? 'never begun' : 'begun']).toEqual(
        status === 200 ? [200, 'never begun'] : [409, 'begun'],
      );
      expect(await log()).toHaveLength(status === 200 ? 2 : 1);
    }
  });

  test('is asked with the text that the response to the change contains, when both happen at once', async () => {
    for (let round = 0; round < 20; round += 1) {
      chatId = await createChat(user.client);
      const id = await send('old');
      const [changed, turn] = await Promise.all([change(id, 'new'), begin()]);
      expect(turn?.history.turns).toMatchObject([{ question: changed.status === 200 ? 'new' : 'old' }]);
      expect(await log()).toMatchObject([{ content: changed.status === 200 ? 'new' : 'old' }]);
    }
  });
});

describe('a message that cannot be taken back', () => {
  test('is that of a run or a task, an answer, a withdrawn one that is to change, and that of others', async () => {
    const id = await send('one');
    const set = async (change: string) =>
      served.api.database.system.query(`update turns set ${change} where chat_id = $1`, [chatId]);
    await set('is_report = true');
    expect((await withdraw(id)).status).toBe(409);
    expect((await change(id, 'uno')).status).toBe(409);
    await set('is_report = false');
    await withdraw(id);
    expect(await change(id, 'uno')).toMatchObject({ status: 409, json: { detail: 'The message was withdrawn' } });
    const answer = (await log()).at(-1)?.id ?? '';
    expect((await withdraw(answer)).status).toBe(409);
    const other = await registerUser(served.url);
    expect((await other.client.post(`${at(id)}/withdraw`)).status).toBe(404);
    expect((await other.client.patch(at(id), { content: 'mine' })).status).toBe(404);
    chatId = await createChat(user.client);
    expect((await withdraw(id)).status).toBe(404);
  });
});

describe('excluding messages from one on', () => {
  const exclude = async (messageId: string, body: object) => user.client.patch(`${at(messageId)}/excluded`, body);
  const excluded = async () => (await log()).map((message) => message.excluded);

  test('leaves out that message and all after it, and puts them back, in one request each', async () => {
    const ids = [await send('a'), await send('b'), await send('c')];
    const [, second = '', third = ''] = ids;
    expect(await exclude(second, { excluded: true, from_here_on: true })).toMatchObject({
      status: 200,
      json: { id: second, excluded: true },
    });
    expect(await excluded()).toEqual([false, true, true]);
    await exclude(third, { excluded: false });
    expect(await excluded()).toEqual([false, true, false]);
    await exclude(second, { excluded: false, from_here_on: true });
    expect(await excluded()).toEqual([false, false, false]);
  });

  test('writes nothing again that is so already', async () => {
    const ids = [await send('a'), await send('b')];
    const [first = '', second = ''] = ids;
    await exclude(second, { excluded: true });
    const versions = async () =>
      (
        await served.api.database.system.query<{ version: string }>(
          'select xmin::text as version from messages where chat_id = $1 order by seq',
          [chatId],
        )
      ).rows.map(({ version }) => version);
    const [, before] = await versions();
    await exclude(first, { excluded: true, from_here_on: true });
    const [changed, kept] = await versions();
    expect(kept).toBe(before);
    for (const body of [{ excluded: true, from_here_on: true }, { excluded: true }])
      expect(await exclude(first, body)).toMatchObject({ status: 200, json: { id: first, excluded: true } });
    expect(await versions()).toEqual([changed, kept]);
  });

  test('is refused for more than 2,000 that follow, and changes none then', async () => {
    const first = await send('a');
    await served.api.database.system.query(
      `with t as (
          insert into turns (id, org_id, chat_id, user_id, status, ended_at)
          select gen_random_uuid(), t.org_id, t.chat_id, t.user_id, 'completed', now()
          from messages m join turns t on t.id = m.turn_id, generate_series(1, 2001) where m.id = $1 returning *
        )
        insert into messages (id, org_id, chat_id, turn_id, role, content)
        select gen_random_uuid(), org_id, chat_id, id, 'user', 'x' from t`,
      [first],
    );
    const body = { excluded: true, from_here_on: true };
    expect(await exclude(first, body)).toMatchObject({
      status: 409,
      json: { detail: expect.stringContaining('2000') },
    });
    expect(new Set(await excluded())).toEqual(new Set([false]));
    const next = (await log())[1]?.id ?? '';
    expect((await exclude(next, body)).status).toBe(200);
  });

  test('changes nothing in another chat, nor for anybody but the owner', async () => {
    const id = await send('a');
    const elsewhere = await createChat(user.client);
    const body = { excluded: true, from_here_on: true };
    const path = `/api/chats/${elsewhere}/messages/${id}/excluded`;
    expect((await user.client.patch(path, body)).status).toBe(404);
    const other = await registerUser(served.url);
    expect((await other.client.patch(`${at(id)}/excluded`, body)).status).toBe(404);
    expect(await excluded()).toEqual([false]);
  });
});
