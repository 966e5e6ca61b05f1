import { afterEach, expect, jest, test } from '@jest/globals';
import { createAgent, createChat, registerUser } from '../../test/support/factories.ts';
import { ChatFixture } from '../../test/support/chat-fixture.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { type ServerFrame, SocketClient } from '../../test/support/socket-client.ts';
import { waitUntil } from '../../test/support/wait-until.ts';

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
  const chat = new ChatFixture(database, { place: { orgId: user.orgId, chatId }, userId: user.id, agentId });
  await chat.accept();
  const join = async (): Promise<ServerFrame[]> => {
    const socket = await SocketClient.connectVersioned(served.url, chatId, user.accessToken);
    const { steps } = await socket.waitFor('joined', ({ type }) => type === 'joined');
    socket.socket.close();
    return steps as ServerFrame[];
  };
  return { chat, join };
}

test('a client that joins while a step begins is told where that stands in the text', async () => {
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

test('a client that sends as soon as it is connected is told the end, however soon the turn ends', async () => {
  const { database } = served.api;
  const user = await registerUser(served.url);
  const agentId = await createAgent(user.client);
  const chatId = await createChat(user.client, agentId);
  const chat = new ChatFixture(database, { place: { orgId: user.orgId, chatId }, userId: user.id, agentId });
  const { tenant } = database;
  const query = tenant.query.bind(tenant) as (...args: unknown[]) => Promise<unknown>;
  const subscribing = Promise.withResolvers<void>();
  jest.spyOn(tenant, 'query').mockImplementation((async (orgId: string, statement: { readonly name?: string }) => {
    if (statement.name === 'chat-position') await subscribing.promise;
    return query(orgId, statement);
  }) as never);
  const isStored = async () => {
    const { rowCount } = await database.system.query('select from turns where chat_id = $1', [chatId]);
    return rowCount === 1 || undefined;
  };
  const end = async () => (await chat.begin()).end();

  const socket = await SocketClient.connect(served.url, chatId, user.accessToken);
  socket.send({ type: 'message', content: 'x' });
  socket.send({ type: 'ping' });
  await socket.waitFor('pong', ({ type }) => type === 'pong');
  // More round trips than it takes to store a message.
  let isEarly: true | undefined;
  for (let asked = 0; asked < 50 && isEarly === undefined; asked += 1) isEarly = await isStored();
  if (isEarly) await end();
  subscribing.resolve();
  await waitUntil('the message', isStored);
  if (!isEarly) await end();
  await socket.waitForEnd(1, 15_000);
  socket.close();
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
