import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { EffectServer } from '../support/effect-server.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import type { SocketClient } from '../support/socket-client.ts';
import type { TestWorker } from '../support/test-worker.ts';
import { OpenChat } from './open-chat.ts';

let effects: EffectServer;
let instance: TestInstance;
let chat: OpenChat;
let socket: SocketClient;
/** The one that takes work. */
let worker: TestWorker | undefined;
beforeAll(async () => {
  effects = await EffectServer.start();
  instance = await startTestInstance({ openPorts: [effects.port] });
  [worker] = instance.workers;
}, 120_000);
afterAll(async () => {
  await instance.close();
  await effects.close();
});
afterEach(() => {
  effects.release();
  chat.close();
});

const CLASSES = [
  ['read', { method: 'GET' }],
  ['keyed', { method: 'POST', body: 'x', idempotency_key: 'order-7' }],
  ['once', { method: 'POST', body: 'x' }],
] as const;
type Kind = (typeof CLASSES)[number][0];

interface Detail {
  readonly id: string;
  readonly status: string;
  readonly result: string;
}

/** Has the model make a call that the server holds, and waits until it has arrived there. */
async function begin(path: string, request: object): Promise<void> {
  chat = await OpenChat.create(instance, {
    agent: { tools: ['http_request'], requires_approval: { http_request: 'never' } },
  });
  socket = await chat.connect();
  const call = JSON.stringify({ url: `${effects.url}${path}`, ...request });
  socket.send({
    type: 'message',
    content: `[[tool http_request ${call}]] [[then]] [[say heard]]`,
    client_message_id: 'a',
  });
  await effects.waitFor(path);
}

async function finish(timeoutMs = 40_000) {
  const end = await socket.waitForEnd(1, timeoutMs);
  const [detail] = (end['metadata'] as { tool_calls_detail: readonly Detail[] }).tool_calls_detail;
  const stepFrames = socket.frames.filter(({ type }) => type.startsWith('sub_agent_step'));
  expect(stepFrames).toMatchObject([
    { type: 'sub_agent_step_start', step_id: detail?.id, step_name: 'http_request' },
    { type: 'sub_agent_step_done', step_id: detail?.id, status: detail?.status },
  ]);
  return { end, detail };
}

/** What the model was told of its call. */
function toldToModel(path: string): string {
  const asked = instance.model.requests.findLast(({ messages }) => JSON.stringify(messages[0]).includes(path));
  return JSON.stringify(asked?.messages.filter(({ role }) => role === 'tool'));
}

async function replaceWorker(): Promise<void> {
  await worker?.kill();
  worker = await instance.addWorker();
}

describe('a call whose worker is killed while it runs', () => {
  const expected: Record<Kind, { requests: number; status: string }> = {
    read: { requests: 2, status: 'success' },
    keyed: { requests: 2, status: 'success' },
    once: { requests: 1, status: 'unknown' },
  };

  test.each(CLASSES)(
    'is made again or not by its class: %s',
    async (kind, request) => {
      const path = `/hold/killed-${kind}`;
      await begin(path, request);
      await replaceWorker();
      if (kind !== 'once') await effects.waitFor(path, 2);
      effects.release();
      const { end, detail } = await finish();
      expect(detail?.status).toBe(expected[kind].status);
      expect(effects.at(path)).toHaveLength(expected[kind].requests);
      expect(end['content']).toBe('heard');
      expect(new Set(effects.at(path).map(({ key }) => key)).size).toBe(1);
      if (kind === 'keyed') expect(effects.at(path)[0]?.key).toBe('order-7');
      if (kind === 'once') expect(toldToModel(path)).toContain('may or may not have taken effect');
    },
    60_000,
  );
});

test('a call that a person edits from reading to writing is not repeated after a kill', async () => {
  const path = '/hold/killed-edited';
  const url = `${effects.url}${path}`;
  chat = await OpenChat.create(instance, {
    agent: { tools: ['http_request'], requires_approval: { http_request: 'always' } },
  });
  socket = await chat.connect();
  const content = `[[tool http_request ${JSON.stringify({ url })}]] [[then]] [[say heard]]`;
  socket.send({ type: 'message', content, client_message_id: 'a' });
  const { approval_id: id } = await socket.waitFor('the call to wait', ({ type }) => type === 'approval_requested');
  const decision = { approve: true, arguments: { url, method: 'POST', body: 'x' } };
  expect((await chat.user.client.post(`/api/approvals/${String(id)}/decision`, decision)).status).toBe(200);
  await effects.waitFor(path);
  await replaceWorker();
  const { detail } = await finish();
  expect(detail).toMatchObject({ status: 'unknown', arguments: { method: 'POST' } });
  expect(effects.at(path)).toHaveLength(1);
  const { rows } = await instance.api.database.system.query('select effect, label from tool_calls where id = $1', [
    detail?.id,
  ]);
  expect(rows).toEqual([{ effect: 'once', label: `POST 127.0.0.1:${effects.port}${path}` }]);
}, 60_000);

describe('a call whose worker freezes while it runs', () => {
  test.each(CLASSES)(
    'is left to the next one, and a late result is not stored: %s',
    async (kind, request) => {
      const path = `/hold/frozen-${kind}`;
      await begin(path, request);
      const frozen = worker;
      if (frozen === undefined) throw new Error('no worker');
      process.kill(frozen.pid, 'SIGSTOP');
      const successor = await instance.addWorker();
      try {
        if (kind !== 'once') await effects.waitFor(path, 2);
        effects.release();
        const { detail } = await finish();
        expect(detail?.status).toBe(kind === 'once' ? 'unknown' : 'success');
        process.kill(frozen.pid, 'SIGCONT');
        // It takes work again, so it has dealt with what it was doing before.
        await successor.stop();
        socket.send({ type: 'message', content: '[[say awake]]', client_message_id: 'b' });
        expect((await socket.waitForEnd(2, 30_000))['content']).toBe('awake');
        const [answer] = await chat.answers();
        expect(answer?.metadata_['tool_calls_detail']).toMatchObject([
          { status: detail?.status, result: detail?.result },
        ]);
        expect(effects.at(path)).toHaveLength(kind === 'once' ? 1 : 2);
      } finally {
        process.kill(frozen.pid, 'SIGCONT');
      }
    },
    90_000,
  );
});

describe('a call that is begun again and again', () => {
  test.each([CLASSES[0], CLASSES[1]])(
    'is closed as an error when it has taken its process along three times: %s',
    async (kind, request) => {
      const path = `/hold/deadly-${kind}`;
      await begin(path, request);
      for (let deaths = 1; deaths <= 3; deaths += 1) {
        await effects.waitFor(path, deaths, 30_000);
        await replaceWorker();
      }
      const { end, detail } = await finish(60_000);
      expect(detail).toMatchObject({
        status: 'error',
        result: expect.stringContaining('was started 3 times without producing a result'),
      });
      expect(effects.at(path)).toHaveLength(3);
      expect(toldToModel(path)).toContain('is not run again');
      expect(end['content']).toBe('heard');
    },
    150_000,
  );

  test('goes on, however often its worker is told to end', async () => {
    const path = '/hold/handed-over';
    await begin(path, { method: 'GET' });
    for (let times = 1; times <= 5; times += 1) {
      await effects.waitFor(path, times, 30_000);
      const ending = worker;
      worker = await instance.addWorker();
      await ending?.stop();
    }
    await effects.waitFor(path, 6, 30_000);
    effects.release();
    expect((await finish()).detail?.status).toBe('success');
  }, 150_000);
});

test('a call that must not be repeated is seen through when its worker is told to end', async () => {
  const path = '/hold/ending';
  await begin(path, { method: 'POST', body: 'x' });
  const ending = worker;
  worker = await instance.addWorker();
  const stopping = ending?.stop();
  // The other worker answers meanwhile, so the one that ends has been told.
  const other = await chat.another();
  await (await other.post({ content: '[[say meanwhile]]' })).waitForEnd();
  effects.release();
  const { detail } = await finish();
  await stopping;
  expect(detail?.status).toBe('success');
  expect(effects.at(path)).toHaveLength(1);
}, 60_000);

test.each([
  ['read', 'error', 3],
  ['keyed', 'unknown', 3],
  ['once', 'unknown', 1],
] as const)('a call whose connection breaks off after it has arrived says so: %s', async (kind, status, requests) => {
  const path = `/cut/${kind}`;
  await begin(path, CLASSES.find(([name]) => name === kind)?.[1] ?? {});
  const { detail } = await finish();
  expect(detail?.status).toBe(status);
  expect(effects.at(path)).toHaveLength(requests);
});

describe('a call that is interrupted while it runs', () => {
  test.each([
    ['read', 'interrupted'],
    ['keyed', 'unknown'],
    ['once', 'unknown'],
  ] as const)('is recorded as what it is, and the next message works: %s', async (kind, status) => {
    const path = `/hold/stopped-${kind}`;
    await begin(path, CLASSES.find(([name]) => name === kind)?.[1] ?? {});
    await chat.user.client.post(`/api/chats/${chat.id}/interrupt`);
    const { end, detail } = await finish();
    expect(end).toMatchObject({ type: 'stream_end', metadata: { status: 'interrupted' } });
    expect(detail?.status).toBe(status);
    socket.send({ type: 'message', content: '[[say next]]', client_message_id: 'b' });
    expect((await socket.waitForEnd(2))['content']).toBe('next');
    const told = JSON.stringify(instance.model.requests.at(-1)?.messages);
    expect(told).toContain('The user interrupted this answer here.');
    if (kind !== 'read') expect(told).toContain('may or may not have taken effect');
  });
});
