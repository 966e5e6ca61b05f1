import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createAgent, registerUser, type TestUser } from '../../test/support/factories.ts';
import { RawMcp } from '../../test/support/mcp/raw-mcp.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { waitUntil } from '../../test/support/wait-until.ts';

// No worker ends the turns.
const served = serveTestApi();

let user: TestUser;
let headers: Readonly<Record<string, string>>;
let mcp: RawMcp;
beforeEach(async () => {
  user = await registerUser(served.url);
  await createAgent(user.client, { name: 'Helper' });
  mcp = new RawMcp(served.url, user.accessToken);
  headers = { 'mcp-session-id': await mcp.openSession() };
});
afterEach(() => {
  jest.restoreAllMocks();
});

const CANCEL = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };

/** Asks the agent, and returns the answer to come. */
const ask = async (seconds: number) => {
  const params = { name: 'ask_agent', arguments: { agent: 'Helper', message: 'Hello', wait_seconds: seconds } };
  return mcp.send({ jsonrpc: '2.0', id: 7, method: 'tools/call', params }, headers);
};

/** Begins a turn, and returns what names it. */
async function begunTurn() {
  const text = await (await ask(0)).text();
  const { chat_id, turn_id } = /"chat_id":"(?<chat_id>[^"]+)","turn_id":"(?<turn_id>[^"]+)"/.exec(text)?.groups ?? {};
  headers = { 'mcp-session-id': await mcp.openSession() };
  return { chat_id, turn_id };
}

async function turns() {
  const text = 'select interrupt_requested_at is not null as stopped from turns where org_id = $1';
  return (await served.api.database.system.query<{ stopped: boolean }>(text, [user.orgId])).rows;
}

test('a cancelled call is not answered, although its turn has not ended when it no longer waits', async () => {
  let text = '';
  // A call that no longer waited when it was cancelled is made again, and waits longer.
  for (const [before, seconds] of [2, 20].entries()) {
    headers = { 'mcp-session-id': await mcp.openSession() };
    const answer = ask(seconds);
    await waitUntil('the turn', async () => (await turns())[before]);
    expect((await mcp.send(CANCEL, headers)).status).toBe(202);
    text = await (await answer).text();
    if (!/result|error/.test(text)) break;
  }
  expect(text).not.toMatch(/result|error/);
});

test.each([
  ['reads', async () => ({ name: 'get_turn', args: await begunTurn() })],
  [
    'may be repeated',
    async () => ({ name: 'ask_agent', args: { agent: 'Helper', message: 'Hi', client_message_id: 'a' } }),
  ],
])('a cancelled call that %s is not answered, and leaves the turn as it is', async (_what, made) => {
  const { name, args } = await made();
  let ended: readonly string[] | undefined;
  const answer = mcp.call(name, args, { id: 7, headers }).then(async (response) => (ended = [await response.text()]));
  await waitUntil('the turn', async () => (await turns())[0]);
  await waitUntil('the end of the call', async () => {
    await mcp.send(CANCEL, headers);
    return ended;
  });
  expect((await answer)[0]).not.toMatch(/result|error/);
  expect(await turns()).toEqual([{ stopped: false }]);
});

test('a cancellation that comes before the turn interrupts it', async () => {
  const { tenant } = served.api.database;
  const query = tenant.query.bind(tenant);
  const answer = Promise.withResolvers<string>();
  jest.spyOn(tenant, 'query').mockImplementation(async (orgId, statement) => {
    if (statement.name === 'chat-model') {
      await mcp.send(CANCEL, headers);
      await answer.promise;
    }
    return query(orgId, statement);
  });
  answer.resolve((await ask(20)).text());
  expect(await answer.promise).not.toMatch(/result|error/);
  await waitUntil('the interrupt', async () => (await turns()).find(({ stopped }) => stopped));
});

test('a cancellation that could not interrupt the turn does so when it is repeated', async () => {
  const { tenant } = served.api.database;
  const query = tenant.query.bind(tenant);
  await (await ask(0)).text();
  const failing = jest.spyOn(tenant, 'query').mockImplementation(async (orgId, statement) => {
    if (statement.name === 'request-interrupt') throw Object.assign(new Error('lost'), { code: 'ECONNRESET' });
    return query(orgId, statement);
  });
  expect((await mcp.send(CANCEL, headers)).status).toBe(503);
  failing.mockRestore();
  expect(await turns()).toEqual([{ stopped: false }]);
  expect((await mcp.send(CANCEL, headers)).status).toBe(202);
  expect(await turns()).toEqual([{ stopped: true }]);
});
