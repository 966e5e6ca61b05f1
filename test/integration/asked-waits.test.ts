import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { casesOf } from '../support/in-length.ts';
import { json, OutsideServer } from '../support/outside-server.ts';
import type { SocketClient } from '../support/socket-client.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

let service: OutsideServer;
let instance: TestInstance;
let chat: OpenChat;
let socket: SocketClient;
beforeAll(async () => {
  service = await OutsideServer.start();
  instance = await startTestInstance();
});
afterAll(async () => {
  await instance.close();
  service.close();
});
beforeEach(() => {
  service.seen.length = 0;
});
afterEach(() => chat.close());

/** Has an agent resolve an error group of a service that asks to be left alone for so many seconds. */
async function askTooOften(seconds: number): Promise<void> {
  chat = await OpenChat.create(instance, { agent: { tools: ['sentry'], requires_approval: { sentry: 'never' } } });
  const integration = {
    kind: 'sentry',
    name: 'Errors',
    base_url: service.url,
    credentials: { token: 'a-token-of-the-tests' },
    settings: { organization: 'acme' },
  };
  expect((await chat.user.client.post('/api/integrations', integration)).status).toBe(201);
  service.reply = (response) => {
    response.writeHead(429, { 'retry-after': String(seconds) }).end();
  };
  socket = await chat.connect();
  const content = '[[tool sentry {"action":"resolve","issue_id":"4509"}]] [[then]] [[say heard]]';
  socket.send({ type: 'message', content, client_message_id: 'a' });
}

interface CallRow {
  readonly id: string;
  readonly status: string;
  readonly tries: number;
  readonly isWaiting: boolean;
}

async function callRow(): Promise<CallRow | undefined> {
  const { rows } = await instance.api.database.system.query<CallRow>(
    `select k.id, k.status, k.tries, coalesce(k.not_before > now(), false) as "isWaiting"
      from tool_calls k join turns t on t.id = k.turn_id where t.chat_id = $1`,
    [chat.id],
  );
  return rows[0];
}

const isSetAside = () =>
  waitUntil('the call to be set aside', async () => {
    const call = await callRow();
    return call?.isWaiting === true ? call : undefined;
  });

async function detailOf() {
  const end = await socket.waitForEnd();
  const { tool_calls_detail: details } = end['metadata'] as { tool_calls_detail: readonly Record<string, unknown>[] };
  return details[0];
}

describe('a call whose service asks to wait for long', () => {
  const meanwhile: readonly [what: string, happens: () => Promise<unknown>][] = [
    ['is set aside', async () => undefined],
    [
      'is set aside, survives the death of its worker',
      async () => instance.killWorkers().then(async () => instance.addWorker()),
    ],
  ];
  test.each(casesOf(meanwhile))('%s, and is made once the time is over', async (_what, happens) => {
    await askTooOften(600);
    const call = await isSetAside();
    expect(call).toMatchObject({ status: 'planned', tries: 0 });
    expect(service.seen).toHaveLength(1);
    service.reply = json({ id: '4509', status: 'resolved' });
    await happens();
    await instance.api.database.system.query('update tool_calls set not_before = now() where id = $1', [call.id]);
    expect(await detailOf()).toMatchObject({ status: 'success', result: expect.stringContaining('resolved') });
    expect(service.seen).toHaveLength(2);
  });

  test('ends soon when the turn is interrupted, and has changed nothing', async () => {
    await askTooOften(600);
    await isSetAside();
    socket.send({ type: 'interrupt' });
    expect(await detailOf()).toMatchObject({ status: 'interrupted' });
    expect(service.seen).toHaveLength(1);
  });

  test('is told to the model when the service asks for longer than calls wait', async () => {
    await askTooOften(7_200);
    expect(await detailOf()).toMatchObject({ status: 'error', result: expect.stringContaining('rate_limited') });
    expect(service.seen).toHaveLength(1);
  });
});
