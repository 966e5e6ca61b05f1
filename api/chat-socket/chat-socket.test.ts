import { afterEach, expect, jest, test } from '@jest/globals';
import { createAgent, createChat, registerUser } from '../../test/support/factories.ts';
import { ChatFixture } from '../../test/support/chat-fixture.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { type ServerFrame, SocketClient } from '../../test/support/socket-client.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import { ConnectionRegistry } from '../access/connection-registry.ts';

const served = serveTestApi({ isOwn: true });

afterEach(() => {
  jest.restoreAllMocks();
});

/** Opens a chat whose turn a worker has claimed. */
async function open() {
  const { database } = served.api;
  const user = await registerUser(served.url);
  const agentId = await createAgent(user.client);
  const chatId = await createChat(user.client, agentId);
  const chat = new ChatFixture(database, { ref: { orgId: user.orgId, chatId }, userId: user.id, agentId });
  await chat.accept();
  const join = async (): Promise<ServerFrame[]> => {
    const socket = await SocketClient.connectVersioned(served.url, chatId, user.accessToken);
    const { steps } = await socket.waitFor('joined', ({ type }) => type === 'joined');
    socket.socket.close();
    return steps as ServerFrame[];
  };
  return { chat, join };
}

test('a client that joins while a step begins gets its position in the text', async () => {
  const { chat, join } = await open();
  const step = await chat.begin();
  await step.say('Let me see.');
  const { system } = served.api.database;
  const query = system.query.bind(system) as (statement: unknown) => Promise<unknown>;
  jest.spyOn(system, 'query').mockImplementation((async (statement: { readonly name?: string }) => {
    if (statement.name === 'read-turn-steps') await (await step.storeTool()).begin();
    return query(statement);
  }) as never);
  expect(await join()).toMatchObject([{ type: 'sub_agent_step_start', text_offset: 'Let me see.'.length }]);
});

test('a client is connected once it is shown what happens from then on, however long that takes', async () => {
  const { database } = served.api;
  const user = await registerUser(served.url);
  const agentId = await createAgent(user.client);
  const chatId = await createChat(user.client, agentId);
  const chat = new ChatFixture(database, { ref: { orgId: user.orgId, chatId }, userId: user.id, agentId });
  const { tenant } = database;
  const query = tenant.query.bind(tenant) as (...args: unknown[]) => Promise<unknown>;
  const log: string[] = [];
  jest.spyOn(tenant, 'query').mockImplementation((async (orgId: string, statement: { readonly name?: string }) => {
    if (statement.name !== 'chat-position') return query(orgId, statement);
    // More round trips than a handshake takes.
    for (let asked = 0; asked < 50; asked += 1) await user.client.get('/healthz');
    log.push('read');
    return query(orgId, statement);
  }) as never);

  const socket = await SocketClient.connect(served.url, chatId, user.accessToken);
  log.push('connected');
  await chat.accept();
  await (await chat.begin()).end();
  await socket.waitForEnd();
  expect(log).toEqual(['read', 'connected']);
  socket.close();
});

test('a client whose right ends while its chat is read is sent away once it is connected', async () => {
  const { tenant } = served.api.database;
  const user = await registerUser(served.url);
  const chatId = await createChat(user.client, await createAgent(user.client));
  const other = await SocketClient.connect(served.url, await createChat(user.client), user.accessToken);
  const query = tenant.query.bind(tenant) as (...args: unknown[]) => Promise<unknown>;
  jest.spyOn(tenant, 'query').mockImplementation((async (orgId: string, statement: { readonly name?: string }) => {
    if (statement.name === 'chat-position') {
      await user.client.post('/api/auth/logout');
      await waitUntil('the end of the other connection', () => other.closeCode);
      // The check of all connections, once a minute, would find it too.
      jest.spyOn(ConnectionRegistry.prototype, 'recheck').mockResolvedValue();
    }
    return query(orgId, statement);
  }) as never);

  const socket = await SocketClient.connect(served.url, chatId, user.accessToken);
  expect(await waitUntil('the end of the connection', () => socket.closeCode)).toBe(4401);
});

test.each([
  ['ASCII', 'Let me see.'],
  ['letters of two and three bytes', 'Größe: 長さ'],
  ['pairs of code units', 'a\u{1F600}b\u{10FFFF}\u{10000}'],
  ['the last code units that are none of a pair', '\uFFFD\uFFEE'],
  ['nothing', ''],
])('the offset of a step after %s counts code units of UTF-16', async (_what, text) => {
  const { chat, join } = await open();
  const step = await chat.begin();
  await step.say(text);
  await (await step.storeTool()).begin();
  expect(await join()).toMatchObject([{ text_offset: text.length }]);
});
