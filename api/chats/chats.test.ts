import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { acceptMessage } from '../../db/turns/index.ts';
import { createAgent, createChat, registerUser, type TestUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

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

describe('a sub-chat', () => {
  test('is left out of the list, and reached by its id, with its messages', async () => {
    const user = await registerUser(served.url);
    const agentId = await createAgent(user.client);
    const parentId = await createChat(user.client, agentId);
    const id = randomUUID();
    await served.api.database.system.query(
      `insert into chats (id, org_id, user_id, agent_id, title, parent_chat_id) values ($1, $2, $3, $4, 'Sub', $5)`,
      [id, user.orgId, user.id, agentId, parentId],
    );
    for (const query of ['', `?agent_id=${agentId}`, '?limit=5']) {
      const { json, headers } = await user.client.get<Fields[]>(`/api/chats${query}`);
      expect(json).toMatchObject([{ id: parentId, parent_chat_id: null }]);
      expect(headers.get('x-total-count')).toBe('1');
    }
    expect(await show(user, id)).toMatchObject({ id, parent_chat_id: parentId });
    expect((await user.client.get(`/api/chats/${id}/messages`)).status).toBe(200);
  });
});
