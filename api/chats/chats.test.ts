import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { reportWorker } from '../../db/workers.ts';
import { acceptMessage } from '../../db/turns/accept-message.ts';
import { createAgent, createChat, registerUser, type TestUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { waitUntil } from '../../test/support/wait-until.ts';

type Fields = Record<string, unknown>;

const served = serveTestApi();

async function acceptIn(user: TestUser, chatId: string): Promise<string> {
  const owner = { orgId: user.orgId, userId: user.id };
  const message = { chatId, content: 'hello', clientMessageId: undefined };
  return (await acceptMessage(served.api.database, owner, message)).turnId;
}

async function show(user: TestUser, chatId: string): Promise<Fields> {
  return (await user.client.get<Fields>(`/api/chats/${chatId}`)).json;
}

describe('the status of a chat', () => {
  test('is waiting, with the time, exactly while its running turn waits for a provider', async () => {
    const user = await registerUser(served.url);
    const chatId = await createChat(user.client);
    expect(await show(user, chatId)).toMatchObject({ status: 'idle', waiting_until: null });
    const turnId = await acceptIn(user, chatId);
    await acceptIn(user, chatId);
    expect(await show(user, chatId)).toMatchObject({ status: 'running', waiting_until: null });
    const until = new Date(Date.now() + 60_000);
    const setTurn = (status: string, waitingUntil: Date | null) =>
      served.api.database.system.query('update turns set status = $2, waiting_until = $3 where id = $1', [
        turnId,
        status,
        waitingUntil,
      ]);
    await setTurn('running', until);
    const waiting = { id: chatId, status: 'waiting', waiting_until: until.toISOString() };
    expect(await show(user, chatId)).toMatchObject(waiting);
    expect((await user.client.get<Fields[]>('/api/chats')).json).toMatchObject([waiting]);
    await setTurn('running', null);
    expect(await show(user, chatId)).toMatchObject({ status: 'running', waiting_until: null });
    await setTurn('completed', until);
    expect(await show(user, chatId)).toMatchObject({ status: 'running', waiting_until: null });
  });
});

describe('a chat while no worker runs', () => {
  const watched = serveTestApi({ isOwn: true, workerWatchMs: 20 });

  test('waits for one from when its turn is due until one runs', async () => {
    const { system } = watched.api.database;
    const user = await registerUser(watched.url);
    const chatId = await createChat(user.client);
    const shown = async () => (await user.client.get<Fields>(`/api/chats/${chatId}`)).json;
    const owner = { orgId: user.orgId, userId: user.id };
    const { turnId } = await acceptMessage(watched.api.database, owner, {
      chatId,
      content: 'hello',
      clientMessageId: undefined,
    });
    await system.query("update turns set next_wake_at = now() + interval '1 hour' where id = $1", [turnId]);
    expect(await shown()).toMatchObject({ status: 'running', waiting_for: null });
    await system.query("update turns set next_wake_at = now() - interval '1 second' where id = $1", [turnId]);
    const waiting = { status: 'waiting', waiting_for: 'worker', waiting_until: null };
    await waitUntil('a chat that waits for a worker', async () =>
      (await shown())['waiting_for'] === 'worker' ? true : undefined,
    );
    expect(await shown()).toMatchObject(waiting);
    expect((await user.client.get<Fields[]>('/api/chats')).json).toMatchObject([waiting]);
    const until = new Date(Date.now() - 60_000);
    await system.query("update turns set status = 'running', waiting_until = $2 where id = $1", [turnId, until]);
    expect(await shown()).toMatchObject(waiting);
    await reportWorker(watched.api.database, randomUUID(), { lacks: {}, workspaceFreeBytes: null });
    await waitUntil(
      'a chat that waits for no worker',
      async () => (await shown())['waiting_for'] === 'provider' || undefined,
    );
  });
});

/** Inserts a chat below another one, as delegation does. */
async function insertBelow(user: TestUser, parentId: string): Promise<string> {
  const id = randomUUID();
  await served.api.database.system.query(
    `insert into chats (id, org_id, user_id, agent_id, title, parent_chat_id)
      select $1, org_id, user_id, agent_id, 'Sub', id from chats where id = $2 and user_id = $3`,
    [id, parentId, user.id],
  );
  return id;
}

describe('a chat', () => {
  test('is listed among the deleted ones, alone, until it is restored', async () => {
    const user = await registerUser(served.url);
    const [kept, deleted] = [await createChat(user.client), await createChat(user.client)];
    await user.client.delete(`/api/chats/${deleted}`);
    const list = async (query: string) => (await user.client.get<Fields[]>(`/api/chats${query}`)).json;
    expect(await list('?deleted=true')).toMatchObject([{ id: deleted, deleted_at: expect.any(String) }]);
    expect(await list('?deleted=false')).toMatchObject([{ id: kept, deleted_at: null }]);
    expect(await list('')).toMatchObject([{ id: kept }]);
    await user.client.patch(`/api/chats/${deleted}/restore`);
    expect([await list('?deleted=true'), (await list('')).length]).toEqual([[], 2]);
  });

  test('is listed with all others, beyond the size of a page, unless a page is asked for', async () => {
    const user = await registerUser(served.url);
    const agentId = await createAgent(user.client);
    await served.api.database.system.query(
      `insert into chats (id, org_id, user_id, agent_id, title)
        select gen_random_uuid(), $1, $2, $3, 'One of many' from generate_series(1, 1001)`,
      [user.orgId, user.id, agentId],
    );
    const list = async (query: string) => {
      const { json, headers } = await user.client.get<Fields[]>(`/api/chats${query}`);
      return [json.length, headers.get('x-total-count'), headers.get('link')];
    };
    expect(await list('')).toEqual([1_001, '1001', null]);
    expect(await list(`?agent_id=${agentId}&offset=1`)).toEqual([1_000, '1001', null]);
    expect(await list('?limit=1000')).toEqual([1_000, '1001', '<?limit=1000&offset=1000>; rel="next"']);
  });

  test('gets the title that is given to chats when its own is null', async () => {
    const user = await registerUser(served.url);
    const agent_id = await createAgent(user.client);
    const { status, json } = await user.client.post('/api/chats', { agent_id, title: null });
    expect([status, json]).toEqual([201, expect.objectContaining({ title: 'New Chat' })]);
  });
});

describe('the messages of a chat', () => {
  test('say which turn they belong to, and which id their client gave them', async () => {
    const user = await registerUser(served.url);
    const chatId = await createChat(user.client);
    const owner = { orgId: user.orgId, userId: user.id };
    const sent = { chatId, content: 'hello', clientMessageId: 'mine' };
    const { turnId } = await acceptMessage(served.api.database, owner, sent);
    const { json } = await user.client.get<Fields[]>(`/api/chats/${chatId}/messages`);
    expect(json).toMatchObject([{ turn_id: turnId, client_message_id: 'mine' }]);
  });

  test('are read from the last ones on, page by page, each oldest first', async () => {
    const user = await registerUser(served.url);
    const chatId = await createChat(user.client);
    for (const _ of Array(5)) await acceptIn(user, chatId);
    const read = async (query: string) => {
      const { json, headers } = await user.client.get<{ id: string }[]>(`/api/chats/${chatId}/messages${query}`);
      return { ids: json.map(({ id }) => id), total: headers.get('x-total-count'), link: headers.get('link') };
    };
    const { ids } = await read('');
    expect(await read(`?before=${ids[4]}&limit=2`)).toEqual({
      ids: [ids[2], ids[3]],
      total: '4',
      link: `<?before=${ids[4]}&limit=2&offset=2>; rel="next"`,
    });
    expect((await read(`?before=${ids[4]}&limit=2&offset=2`)).ids).toEqual([ids[0], ids[1]]);
    expect(await read(`?before=${ids[2]}`)).toEqual({ ids: [ids[0], ids[1]], total: '2', link: null });
    expect(await read(`?before=${ids[0]}`)).toEqual({ ids: [], total: '0', link: null });
    expect(await read('?newest=true&limit=2')).toEqual({
      ids: [ids[3], ids[4]],
      total: '5',
      link: '<?newest=true&limit=2&offset=2>; rel="next"',
    });
    expect(await read('?newest=true')).toEqual({ ids, total: '5', link: null });
  });

  test('do not end before a message of another chat', async () => {
    const user = await registerUser(served.url);
    const [chatId, otherId] = [await createChat(user.client), await createChat(user.client)];
    await acceptIn(user, otherId);
    const { json: others } = await user.client.get<{ id: string }[]>(`/api/chats/${otherId}/messages`);
    for (const id of [others[0]?.id, randomUUID()]) {
      const answer = await user.client.get(`/api/chats/${chatId}/messages?before=${id}`);
      expect([answer.status, answer.json]).toEqual([404, { detail: 'Message not found' }]);
    }
  });
});

describe('a sub-chat', () => {
  test('goes with the chat at the root, and is not renamed, deleted or restored by itself', async () => {
    const user = await registerUser(served.url);
    const rootId = await createChat(user.client);
    const middleId = await insertBelow(user, rootId);
    const leafId = await insertBelow(user, middleId);
    const statuses = async () =>
      Promise.all([rootId, middleId, leafId].map(async (id) => (await user.client.get(`/api/chats/${id}`)).status));
    for (const id of [middleId, leafId]) {
      expect((await user.client.patch(`/api/chats/${id}/title`, { title: 'Mine' })).status).toBe(409);
      expect((await user.client.delete(`/api/chats/${id}`)).status).toBe(409);
      expect((await user.client.patch(`/api/chats/${id}/restore`)).status).toBe(409);
    }
    expect(await statuses()).toEqual([200, 200, 200]);
    expect((await user.client.delete(`/api/chats/${rootId}`)).status).toBe(204);
    expect(await statuses()).toEqual([404, 404, 404]);
    expect((await user.client.patch(`/api/chats/${leafId}/restore`)).status).toBe(409);
    expect((await user.client.patch(`/api/chats/${rootId}/restore`)).status).toBe(200);
    expect(await statuses()).toEqual([200, 200, 200]);
  });

  test('is left out of the list, and reached by its id, with its messages', async () => {
    const user = await registerUser(served.url);
    const agentId = await createAgent(user.client);
    const parentId = await createChat(user.client, agentId);
    const id = await insertBelow(user, parentId);
    for (const query of ['', `?agent_id=${agentId}`, '?limit=5']) {
      const { json, headers } = await user.client.get<Fields[]>(`/api/chats${query}`);
      expect(json).toMatchObject([{ id: parentId, parent_chat_id: null }]);
      expect(headers.get('x-total-count')).toBe('1');
    }
    expect(await show(user, id)).toMatchObject({ id, parent_chat_id: parentId });
    expect((await user.client.get(`/api/chats/${id}/messages`)).status).toBe(200);
  });
});
