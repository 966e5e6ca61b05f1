import { beforeEach, describe, expect, test } from '@jest/globals';
import { acceptMessage } from '../../db/turns/accept-message.ts';
import { claimTurn } from '../../db/turns/claim/claim-turn.ts';
import { parseOrgLimits } from '../../domain/orgs.ts';
import { createAgent, createChat, registerUser, type TestUser, uploadFile } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

interface Shown {
  readonly id: string;
  readonly turn_id: string;
  readonly role: string;
  readonly content: string;
  readonly excluded: boolean;
  readonly file_ids: readonly string[];
  readonly metadata_: Readonly<Record<string, unknown>>;
}

const served = serveTestApi();
let user: TestUser;
let chatId: string;
beforeEach(async () => {
  user = await registerUser(served.url);
  chatId = await createChat(user.client);
});

const sql = async (text: string, values: readonly unknown[]) =>
  served.api.database.system.query<Record<string, unknown>>(text, [...values]);

async function ask(content: string, fileIds: readonly string[] = []): Promise<string> {
  const owner = { orgId: user.orgId, userId: user.id };
  const message = { chatId, content, clientMessageId: content, fileIds };
  return (await acceptMessage(served.api.database, owner, message)).messageId;
}

/** Has a message answered, with an answer that a worker might have stored. */
async function say(question: string, answer: string, fileIds: readonly string[] = []): Promise<void> {
  const id = await ask(question, fileIds);
  await sql(
    `with t as (update turns set status = 'completed', step = 0, ended_at = now()
        where id = (select turn_id from messages where id = $1) returning *)
      insert into messages (id, org_id, chat_id, turn_id, role, content, metadata)
      select gen_random_uuid(), org_id, chat_id, id, 'assistant', $2, jsonb_build_object('status', 'completed', 'turn_id', id) from t`,
    [id, answer],
  );
}

const messagesOf = async (id: string) => (await user.client.get<Shown[]>(`/api/chats/${id}/messages`)).json;
const fork = async (messageId: string | undefined, fields: object = {}, client = user.client) =>
  client.post<{ id: string; title: string }>(`/api/chats/${chatId}/fork`, { message_id: messageId, ...fields });

describe('a fork of a chat', () => {
  test('contains copies of the messages up to the turn of the message, under ids of their own', async () => {
    for (const word of ['a', 'b', 'c']) await say(word, `said ${word}`);
    const original = await messagesOf(chatId);
    await user.client.patch(`/api/chats/${chatId}/messages/${original[0]?.id}/excluded`, { excluded: true });
    const { status, json } = await fork(original[2]?.id);
    expect([status, json]).toEqual([201, expect.objectContaining({ title: 'a', status: 'idle', shared: false })]);
    const copies = await messagesOf(json.id);
    expect(copies.map(({ role, content, excluded }) => [role, content, excluded])).toEqual([
      ['user', 'a', true],
      ['assistant', 'said a', false],
      ['user', 'b', false],
      ['assistant', 'said b', false],
    ]);
    const known = new Set(original.flatMap((message) => [message.id, message.turn_id]));
    expect(copies.filter((message) => known.has(message.id) || known.has(message.turn_id))).toEqual([]);
    expect(copies[1]?.metadata_['turn_id']).toBe(copies[1]?.turn_id);
    expect(await messagesOf(chatId)).toHaveLength(6);
  });

  test('continues by itself: its next turn sees what was copied, and the original stays as it was', async () => {
    await say('a', 'said a');
    const { json } = await fork((await messagesOf(chatId))[1]?.id, { title: 'Other way' });
    expect(json.title).toBe('Other way');
    const owner = { orgId: user.orgId, userId: user.id };
    const message = { chatId: json.id, content: 'next', clientMessageId: undefined };
    await acceptMessage(served.api.database, owner, message);
    const turn = await claimTurn(served.api.database, { orgId: user.orgId, chatId: json.id });
    expect(turn?.history.turns).toMatchObject([
      { question: 'a', answer: { content: 'said a', status: 'completed' } },
      { question: 'next' },
    ]);
    expect(await messagesOf(chatId)).toHaveLength(2);
  });

  test('has copies of the files that its messages name, and lives on without the original', async () => {
    const fileId = await uploadFile(user.client, chatId, { name: 'n.txt', content: Buffer.from('sales rose') });
    const gone = await uploadFile(user.client, chatId, { name: 'g.txt', content: Buffer.from('gone') });
    await say('read it', 'read', [fileId, gone]);
    await user.client.delete(`/api/chats/${chatId}/files/${gone}`);
    const { status, json } = await fork((await messagesOf(chatId))[0]?.id);
    expect(status).toBe(201);
    const copy = (await messagesOf(json.id))[0]?.file_ids[0];
    expect(copy).not.toBe(fileId);
    await sql('delete from chats where id = $1', [chatId]);
    const { json: files } = await user.client.get<Record<string, unknown>[]>(`/api/chats/${json.id}/files`);
    expect(files).toMatchObject([{ id: copy, name: 'n.txt', size: 10 }]);
    const { bytes } = await user.client.download(`/api/chats/${json.id}/files/${copy}/content`);
    expect(bytes.toString()).toBe('sales rose');
  });

  test('keeps the mark of foreign text, and stays private when the chat is', async () => {
    await say('a', 'said a');
    await sql('update chats set has_foreign_text = true, is_private = true where id = $1', [chatId]);
    const { json } = await fork((await messagesOf(chatId))[0]?.id);
    const { rows } = await sql('select has_foreign_text, is_private from chats where id = $1', [json.id]);
    expect(rows).toEqual([{ has_foreign_text: true, is_private: true }]);
  });

  test('leaves out turns that have not ended, and is refused at one of them', async () => {
    await say('a', 'said a');
    const waiting = await ask('b');
    expect(await fork(waiting)).toMatchObject({ status: 409 });
    const { json } = await fork(undefined);
    expect((await messagesOf(json.id)).map(({ content }) => content)).toEqual(['a', 'said a']);
  });

  test('is refused to others, at messages of another chat, without its agent, and in the chat of a sub-agent', async () => {
    await say('a', 'said a');
    const id = (await messagesOf(chatId))[0]?.id;
    const other = await registerUser(served.url);
    expect((await fork(id, {}, other.client)).status).toBe(404);
    const mine = chatId;
    chatId = await createChat(user.client);
    expect(await fork(id)).toMatchObject({ status: 404, json: { detail: 'Message not found' } });
    await sql('update chats set parent_chat_id = $2 where id = $1', [mine, chatId]);
    chatId = mine;
    expect((await fork(id)).status).toBe(409);
    await sql('update chats set parent_chat_id = null where id = $1', [mine]);
    await sql('update agents set deleted_at = now() where id = (select agent_id from chats where id = $1)', [mine]);
    expect(await fork(id)).toMatchObject({ status: 409 });
    expect((await user.client.get<unknown[]>('/api/chats')).json).toHaveLength(2);
  });

  test('leaves nothing behind when its messages find no room', async () => {
    await say('a', 'said a');
    const id = (await messagesOf(chatId))[0]?.id;
    await sql(
      `insert into org_usage (org_id, message_bytes, chats, chats_made) values ($1, 1e15, 1, 1)
        on conflict (org_id) do update set message_bytes = 1e15`,
      [user.orgId],
    );
    expect((await fork(id)).status).toBe(409);
    expect((await user.client.get<unknown[]>('/api/chats')).json).toHaveLength(1);
  });

  test('is refused when its messages would exceed the limit of the organization, and no more is stored', async () => {
    await say('a', 'x'.repeat(2_000));
    const limit = parseOrgLimits('').messageBytes;
    await sql(
      `insert into org_usage (org_id, message_bytes, chats, chats_made) values ($1, $2, 1, 1)
        on conflict (org_id) do update set message_bytes = excluded.message_bytes`,
      [user.orgId, limit - 1_000],
    );
    expect(await fork(undefined)).toMatchObject({ status: 409 });
    await sql('update org_usage set message_bytes = $2 where org_id = $1', [user.orgId, limit - 10_000]);
    expect((await fork(undefined)).status).toBe(201);
  });

  test('is refused beyond 10 MB of messages', async () => {
    for (const word of ['a', 'b', 'c']) await say(word, 'x'.repeat(4_000_000));
    expect(await fork(undefined)).toMatchObject({ status: 409 });
  });

  test('is made one at a time', async () => {
    await say('a', 'said a');
    const lock = await served.api.database.system.connect();
    try {
      await lock.query('begin');
      await lock.query('lock table chats in share mode');
      const forks = [fork(undefined), fork(undefined)];
      expect(await Promise.race(forks)).toMatchObject({ status: 429 });
      await lock.query('rollback');
      const statuses = (await Promise.all(forks)).map(({ status }) => status);
      expect(statuses.toSorted((one, other) => one - other)).toEqual([201, 429]);
    } finally {
      await lock.query('rollback');
      lock.release();
    }
    expect((await fork(undefined)).status).toBe(201);
  });

  test('is refused before a byte is copied when its files find no room together', async () => {
    const fileId = await uploadFile(user.client, chatId, { name: 'n.txt', content: Buffer.from('sales rose') });
    await say('read it', 'read', [fileId]);
    const limit = parseOrgLimits('').uploadBytes;
    await sql('update chat_file_usage set bytes = $2 where org_id = $1', [user.orgId, limit - 9]);
    expect(await fork(undefined)).toMatchObject({ status: 409 });
    expect((await user.client.get<unknown[]>('/api/chats')).json).toHaveLength(1);
  });

  test('is refused beyond 1,000 turns', async () => {
    const agentId = await createAgent(user.client);
    chatId = await createChat(user.client, agentId);
    await sql(
      `with t as (
          insert into turns (id, org_id, chat_id, user_id, status, ended_at)
          select gen_random_uuid(), $1, $2, $3, 'completed', now() from generate_series(1, 1001) returning *
        )
        insert into messages (id, org_id, chat_id, turn_id, role, content)
        select gen_random_uuid(), org_id, chat_id, id, 'user', 'x' from t`,
      [user.orgId, chatId, user.id],
    );
    const { rows } = await sql(
      `select m.id from messages m join turns t on t.id = m.turn_id where t.chat_id = $1 order by t.seq desc limit 2`,
      [chatId],
    );
    expect((await fork(String(rows[0]?.['id']))).status).toBe(409);
    expect((await fork(String(rows[1]?.['id']))).status).toBe(201);
  });
});
