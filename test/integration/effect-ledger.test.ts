import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { EffectServer } from '../support/effect-server.ts';
import { expireLeases } from '../support/expire-leases.ts';
import { longTest } from '../support/in-length.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import type { SocketClient } from '../support/socket-client.ts';
import { OpenChat } from './open-chat.ts';

let effects: EffectServer;
let instance: TestInstance;
const chats: OpenChat[] = [];
beforeAll(async () => {
  effects = await EffectServer.start();
  instance = await startTestInstance();
});
afterAll(async () => {
  await instance.close();
  effects.close();
});
afterEach(() => {
  effects.release();
  for (const chat of chats.splice(0)) chat.close();
});

// They outlast the start of another worker: one that has timed out while its worker was frozen would be made again.
const LIMIT = { timeout_s: 120 };
const CLASSES = [
  ['read', { method: 'GET', ...LIMIT }],
  ['keyed', { method: 'POST', body: 'x', idempotency_key: 'order-7', ...LIMIT }],
  ['once', { method: 'POST', body: 'x', ...LIMIT }],
] as const;
type Kind = (typeof CLASSES)[number][0];

interface Detail {
  readonly id: string;
  readonly status: string;
  readonly result: string;
}

/** A call that waits for the server. */
interface BlockedCall {
  readonly path: string;
  readonly chat: OpenChat;
  readonly socket: SocketClient;
}

/** Has the model make a call, in a chat of its own. */
async function ask(path: string, request: object, mode = 'never'): Promise<BlockedCall> {
  const agent = { tools: ['http_request'], requires_approval: { http_request: mode } };
  const chat = await OpenChat.create(instance, { agent });
  chats.push(chat);
  const socket = await chat.connect();
  const call = JSON.stringify({ url: `${effects.url}${path}`, ...request });
  const content = `[[tool http_request ${call}]] [[then]] [[say heard]]`;
  socket.send({ type: 'message', content, client_message_id: 'a' });
  return { path, chat, socket };
}

/** Has the model make a call that the server holds, and waits until it has arrived there. */
async function begin(path: string, request: object): Promise<BlockedCall> {
  const blocked = await ask(path, request);
  await effects.waitFor(path);
  return blocked;
}

async function finish({ socket }: BlockedCall) {
  const end = await socket.waitForEnd();
  const [detail] = (end['metadata'] as { tool_calls_detail: readonly Detail[] }).tool_calls_detail;
  const stepFrames = socket.frames.filter(({ type }) => type.startsWith('sub_agent_step'));
  expect(stepFrames).toMatchObject([
    { type: 'sub_agent_step_start', step_id: detail?.id, step_name: 'http_request' },
    { type: 'sub_agent_step_done', step_id: detail?.id, status: detail?.status },
  ]);
  return { end, detail };
}

/** What the model was told of its call. */
function shownToModel(path: string): string {
  const asked = instance.model.requests.findLast(({ messages }) => JSON.stringify(messages[0]).includes(path));
  return JSON.stringify(asked?.messages.filter(({ role }) => role === 'tool'));
}

/** Has the open call of a chat have been begun so many times without a result. */
async function setTries({ id }: OpenChat, tries: number): Promise<void> {
  await instance.api.database.system.query(
    'update tool_calls set tries = $2 where turn_id in (select id from turns where chat_id = $1)',
    [id, tries],
  );
}

test('calls whose worker is killed while they run are made again or not by their class, and not more than twice', async () => {
  const calls = await Promise.all(
    CLASSES.map(async ([kind, request]) => ({ kind, blocked: await begin(`/hold/killed-${kind}`, request) })),
  );
  const deadly = await Promise.all(
    CLASSES.slice(0, 2).map(async ([kind, request]) => begin(`/hold/deadly-${kind}`, request)),
  );
  // As if they had taken processes along before.
  for (const { chat } of deadly) await setTries(chat, 3);
  const edited = await ask('/hold/killed-edited', {}, 'always');
  const { approval_id: id } = await edited.socket.waitFor('it to wait', ({ type }) => type === 'approval_requested');
  const writing = { url: `${effects.url}${edited.path}`, method: 'POST', body: 'x', ...LIMIT };
  const decision = { approve: true, arguments: writing };
  expect((await edited.chat.user.client.post(`/api/approvals/${String(id)}/decision`, decision)).status).toBe(200);
  await effects.waitFor(edited.path);

  await instance.killWorkers();
  await instance.addWorker();
  for (const { kind, blocked } of calls) if (kind !== 'once') await effects.waitFor(blocked.path, 2);
  effects.release('/hold/killed');
  const expected: Record<Kind, { requests: number; status: string }> = {
    read: { requests: 2, status: 'success' },
    keyed: { requests: 2, status: 'success' },
    once: { requests: 1, status: 'unknown' },
  };
  for (const { kind, blocked } of calls) {
    const { end, detail } = await finish(blocked);
    const made = effects.at(blocked.path);
    expect({ kind, requests: made.length, status: detail?.status }).toEqual({ kind, ...expected[kind] });
    expect(end['content']).toBe('heard');
    expect(new Set(made.map(({ key }) => key)).size).toBe(1);
    if (kind === 'keyed') expect(made[0]?.key).toBe('order-7');
    if (kind === 'once') expect(shownToModel(blocked.path)).toContain('may or may not have taken effect');
  }

  // A person has made a reading call a writing one.
  const { detail } = await finish(edited);
  expect(detail).toMatchObject({ status: 'unknown', arguments: { method: 'POST' } });
  expect(effects.at(edited.path)).toHaveLength(1);
  const { rows } = await instance.api.database.system.query('select effect, label from tool_calls where id = $1', [
    detail?.id,
  ]);
  expect(rows).toEqual([{ effect: 'once', label: `POST 127.0.0.1:${effects.port}${edited.path}` }]);

  for (const blocked of deadly) {
    const { end, detail: closed } = await finish(blocked);
    expect(closed).toMatchObject({
      status: 'error',
      result: expect.stringContaining('was started 3 times without producing a result'),
    });
    expect(effects.at(blocked.path)).toHaveLength(1);
    expect(shownToModel(blocked.path)).toContain('is not run again');
    expect(end['content']).toBe('heard');
  }
});

longTest(
  'calls whose worker freezes while they run are left to the next one, and late results are not stored',
  async () => {
    const calls = await Promise.all(
      CLASSES.map(async ([kind, request]) => ({ kind, blocked: await begin(`/hold/frozen-${kind}`, request) })),
    );
    const [frozen] = instance.workers;
    if (frozen === undefined) throw new Error('no worker');
    process.kill(frozen.pid, 'SIGSTOP');
    try {
      await expireLeases(instance.api.database);
      const successor = await instance.addWorker();
      for (const { kind, blocked } of calls) if (kind !== 'once') await effects.waitFor(blocked.path, 2);
      effects.release();
      const ended = [];
      for (const { kind, blocked } of calls) {
        const { detail } = await finish(blocked);
        expect([kind, detail?.status]).toEqual([kind, kind === 'once' ? 'unknown' : 'success']);
        ended.push({ kind, blocked, detail });
      }
      process.kill(frozen.pid, 'SIGCONT');
      // It takes work again, so it has dealt with what it was doing before.
      await successor.stop();
      for (const { kind, blocked, detail } of ended) {
        blocked.socket.send({ type: 'message', content: '[[say awake]]', client_message_id: 'b' });
        expect((await blocked.socket.waitForEnd(2))['content']).toBe('awake');
        const [answer] = await blocked.chat.answers();
        expect(answer?.metadata_['tool_calls_detail']).toMatchObject([
          { status: detail?.status, result: detail?.result },
        ]);
        expect(effects.at(blocked.path)).toHaveLength(kind === 'once' ? 1 : 2);
      }
    } finally {
      process.kill(frozen.pid, 'SIGCONT');
    }
  },
);

longTest(
  'a worker that is told to end hands calls over, which are not lost by that, and sees through what must not be repeated',
  async () => {
    const handedOver = await begin('/hold/handed-over', { method: 'GET', ...LIMIT });
    const unrepeatable = await begin('/hold/ending', { method: 'POST', body: 'x', ...LIMIT });
    // One that is lost once more is not begun again.
    await setTries(handedOver.chat, 3);
    const [ending] = instance.workers;
    await instance.addWorker();
    const stopping = ending?.stop();
    await ending?.heard();
    effects.release('/hold/ending');
    expect((await finish(unrepeatable)).detail?.status).toBe('success');
    await stopping;
    expect(effects.at(unrepeatable.path)).toHaveLength(1);
    await effects.waitFor(handedOver.path, 2);
    effects.release();
    expect((await finish(handedOver)).detail?.status).toBe('success');
  },
);

test.each([
  ['read', 'error', 3],
  ['keyed', 'unknown', 3],
  ['once', 'unknown', 1],
] as const)('a call whose connection breaks off after it has arrived says so: %s', async (kind, status, requests) => {
  const blocked = await begin(`/cut/${kind}`, CLASSES.find(([name]) => name === kind)?.[1] ?? {});
  const { detail } = await finish(blocked);
  expect(detail?.status).toBe(status);
  expect(effects.at(blocked.path)).toHaveLength(requests);
});

describe('a call that is interrupted while it runs', () => {
  test.each([
    ['read', 'interrupted'],
    ['keyed', 'unknown'],
    ['once', 'unknown'],
  ] as const)('is recorded as what it is, and the next message works: %s', async (kind, status) => {
    const blocked = await begin(`/hold/stopped-${kind}`, CLASSES.find(([name]) => name === kind)?.[1] ?? {});
    const { chat, socket } = blocked;
    await chat.user.client.post(`/api/chats/${chat.id}/interrupt`);
    const { end, detail } = await finish(blocked);
    expect(end).toMatchObject({ type: 'stream_end', metadata: { status: 'interrupted' } });
    expect(detail?.status).toBe(status);
    socket.send({ type: 'message', content: '[[say next]]', client_message_id: 'b' });
    expect((await socket.waitForEnd(2))['content']).toBe('next');
    const shown = JSON.stringify(instance.model.requests.at(-1)?.messages);
    expect(shown).toContain('The user interrupted this answer here.');
    if (kind !== 'read') expect(shown).toContain('may or may not have taken effect');
  });
});
