import { beforeAll, describe, expect, test } from '@jest/globals';
import { createAgent, createChat, registerUser, type TestUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { SocketClient } from '../../test/support/socket-client.ts';
import { SseClient } from '../../test/support/sse-client.ts';
import { waitUntil } from '../../test/support/wait-until.ts';

const served = serveTestApi();
let user: TestUser;
let agentId: string;
beforeAll(async () => {
  user = await registerUser(served.url);
  agentId = await createAgent(user.client);
});

const titleOf = async (chatId: string) => (await user.client.get<{ title: string }>(`/api/chats/${chatId}`)).json.title;

async function post(chatId: string, content: string): Promise<void> {
  const url = `${served.url}/api/chats/${chatId}/stream`;
  const stream = await SseClient.open({ url, token: user.accessToken, body: { content } });
  stream.close();
}

async function sendBySocket(chatId: string, content: string): Promise<void> {
  const socket = await SocketClient.connectVersioned(served.url, chatId, user.accessToken);
  socket.send({ type: 'message', content });
  await socket.waitFor('accepted', ({ type }) => type === 'accepted');
  socket.close();
}

describe('a chat that was given no title', () => {
  test.each([
    ['over server-sent events', post],
    ['over a socket', sendBySocket],
  ])('gets the first line of its first message, which is sent %s, and keeps it', async (_name, send) => {
    const chatId = await createChat(user.client, agentId);
    expect(await titleOf(chatId)).toBe('New Chat');
    await send(chatId, '\n  Compare the\treports  \nof both quarters');
    await send(chatId, 'And those of last year');
    expect(await titleOf(chatId)).toBe('Compare the reports');
  });

  test.each([
    ['is cut', 'word '.repeat(40), 'word '.repeat(16).trim()],
    ['does not end within a character', `${'a'.repeat(79)}\u{1F600}`, 'a'.repeat(79)],
    ['stays as it is when nothing shows in it', '\u200B', 'New Chat'],
  ])('gets one that %s', async (_name, content, title) => {
    const chatId = await createChat(user.client, agentId);
    await post(chatId, content);
    expect(await titleOf(chatId)).toBe(title);
  });
});

describe('a chat with a title', () => {
  test('keeps it, and so does one that is called like those without when something was said in it', async () => {
    const { json: named } = await user.client.post<{ id: string }>('/api/chats', {
      agent_id: agentId,
      title: 'Reports',
    });
    await post(named.id, 'Compare them');
    expect(await titleOf(named.id)).toBe('Reports');
    await user.client.patch(`/api/chats/${named.id}/title`, { title: 'New Chat' });
    await post(named.id, 'And now?');
    expect(await titleOf(named.id)).toBe('New Chat');
  });
});

test('a chat that is created with the default title has been given none', async () => {
  const chat = { agent_id: agentId, title: 'New Chat' };
  const { json } = await user.client.post<{ id: string }>('/api/chats', chat);
  await post(json.id, 'Compare them');
  expect(await titleOf(json.id)).toBe('Compare them');
});

test('a chat that somebody has called like those without a title is not renamed', async () => {
  const chatId = await createChat(user.client, agentId);
  await user.client.patch(`/api/chats/${chatId}/title`, { title: 'New Chat' });
  await post(chatId, 'Compare them');
  expect(await titleOf(chatId)).toBe('New Chat');
});

test('a fork of a chat that waits for its title waits for one too, unless it is given one', async () => {
  const chatId = await createChat(user.client, agentId);
  const fork = async (body: object) =>
    (await user.client.post<{ id: string }>(`/api/chats/${chatId}/fork`, body)).json.id;
  const [plain, named] = [await fork({}), await fork({ title: 'Reports' })];
  for (const id of [plain, named]) await post(id, 'Compare them');
  expect([await titleOf(plain), await titleOf(named)]).toEqual(['Compare them', 'Reports']);
});

test('a chat that a conversation of another API began is called after its first message', async () => {
  const send = user.client.post('/v1/chat/completions', {
    model: agentId,
    messages: [{ role: 'user', content: 'Who buys\nplums?' }],
  });
  // Nobody answers it here.
  void send.catch(() => undefined);
  await waitUntil('its chat', async () => {
    const { json: chats } = await user.client.get<{ title: string }[]>('/api/chats');
    return chats.some(({ title }) => title === 'Who buys') || undefined;
  });
});
