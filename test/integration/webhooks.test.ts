import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { signatureOf } from '../../api/access/webhook-signature.ts';
import { createAgent, createChat, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { historiesOf } from '../support/histories-of.ts';
import { longTest } from '../support/in-length.ts';
import { json, OutsideServer, type SeenRequest } from '../support/outside-server.ts';
import { SseClient } from '../support/sse-client.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

interface Delivery {
  readonly id: string;
  readonly status: string;
  readonly attempts: number;
  readonly error: string | null;
}

const SECRET = 'the secret of the receiver';
let receiver: OutsideServer;
let instance: TestInstance;
let user: TestUser;
let agentId: string;

beforeAll(async () => {
  receiver = await OutsideServer.start();
  instance = await startTestInstance();
});
afterAll(async () => {
  await instance.close();
  receiver.close();
});
beforeEach(async () => {
  receiver.reply = json({});
  receiver.seen.length = 0;
  user = await registerUser(instance.api.url);
  await createProvider(user.client, instance.model.url);
  agentId = await createAgent(user.client);
});

async function addChat(): Promise<string> {
  const chatId = await createChat(user.client, agentId);
  const { status } = await user.client.patch(`/api/chats/${chatId}/webhook`, { url: receiver.url, secret: SECRET });
  expect(status).toBe(200);
  return chatId;
}

/** Sends a message; the answer comes whether somebody reads the stream or not. */
async function say(chatId: string, word: string): Promise<void> {
  const url = `${instance.api.url}/api/chats/${chatId}/stream`;
  const stream = await SseClient.open({ url, token: user.accessToken, body: { content: `[[say ${word}]]` } });
  expect(stream.status).toBe(200);
  stream.close();
}

const deliveries = async (path: string) => (await user.client.get<Delivery[]>(`${path}/deliveries`)).json;
const idOf = ({ headers }: SeenRequest) => String(headers['x-everturn-delivery']);
const contentOf = ({ body }: SeenRequest) =>
  (JSON.parse(body) as { message?: { content: string } }).message?.content ?? '';
const isSigned = ({ headers, body }: SeenRequest, secret = SECRET) =>
  signatureOf(secret, { own: String(headers['x-everturn-signature']), hub: undefined }, Buffer.from(body)) !==
  undefined;
const received = async (count: number) =>
  waitUntil(`${count} requests`, () => (receiver.seen.length >= count ? [...receiver.seen] : undefined));

async function delivered(path: string, count: number): Promise<readonly Delivery[]> {
  return waitUntil(`${count} deliveries to be made`, async () => {
    const all = await deliveries(path);
    return all.length === count && all.every(({ status }) => status === 'delivered') ? all : undefined;
  });
}

describe('the webhook of a chat', () => {
  test('gets each answer in order, and again after a failure', async () => {
    const chatId = await addChat();
    receiver.reply = (response, request) => {
      receiver.reply = json({});
      json({}, 500)(response, request);
    };
    for (const word of ['one', 'two', 'three']) await say(chatId, word);
    const all = await delivered(`/api/chats/${chatId}/webhook`, 3);
    expect(receiver.seen.map(contentOf)).toEqual(['one', 'one', 'two', 'three']);
    expect(receiver.seen.every((request) => isSigned(request))).toBe(true);
    expect(idOf(receiver.seen[0] as SeenRequest)).toBe(idOf(receiver.seen[1] as SeenRequest));
    expect(all.map(({ attempts }) => attempts)).toEqual([1, 1, 2]);
  });

  longTest('gets what was under way when the worker died, with the same id', async () => {
    const chatId = await addChat();
    // The answer never comes, so the worker dies in the middle.
    receiver.reply = () => undefined;
    await say(chatId, 'first');
    await received(1);
    await say(chatId, 'second');
    await waitUntil('both to be queued', async () =>
      (await deliveries(`/api/chats/${chatId}/webhook`)).length === 2 ? true : undefined,
    );
    await instance.killWorkers();
    receiver.reply = json({});
    await instance.addWorker();
    await waitUntil(
      'both to be delivered',
      async () =>
        (await deliveries(`/api/chats/${chatId}/webhook`)).every(({ status }) => status === 'delivered') || undefined,
    );
    expect(receiver.seen.map(contentOf)).toEqual(['first', 'first', 'second']);
    expect(idOf(receiver.seen[0] as SeenRequest)).toBe(idOf(receiver.seen[1] as SeenRequest));
  });

  test('gets something again when it is asked for, and while it waits for its time', async () => {
    const chatId = await addChat();
    const path = `/api/chats/${chatId}/webhook`;
    receiver.reply = (response) => void response.writeHead(503, { 'retry-after': '3600' }).end();
    await say(chatId, 'again');
    const [first] = await received(1);
    await waitUntil('the failure to be noted', async () =>
      (await deliveries(path))[0]?.error === null ? undefined : true,
    );
    receiver.reply = json({});
    const redeliver = async () => user.client.post(`${path}/deliveries/${idOf(first as SeenRequest)}/redeliver`);
    expect((await redeliver()).status).toBe(202);
    await delivered(path, 1);
    expect((await redeliver()).status).toBe(202);
    await received(3);
    await delivered(path, 1);
    expect(new Set(receiver.seen.map(idOf)).size).toBe(1);
  });

  test('leaves neither what is told nor its secret and address in the engine or the log', async () => {
    const chatId = await addChat();
    await user.client.patch(`/api/chats/${chatId}/webhook`, {
      url: `${receiver.url}/token-in-address`,
      secret: SECRET,
    });
    await say(chatId, 'confidential');
    await delivered(`/api/chats/${chatId}/webhook`, 1);
    const histories = await historiesOf(instance.temporalAddress, user.orgId, '"hasEnded"');
    const logs = instance.workers.map(({ log }) => log()).join('');
    for (const text of [SECRET, 'token-in-address', 'confidential']) expect(histories + logs).not.toContain(text);
  });
});

test('the end of a run is told to notify_url of its workflow', async () => {
  const fields = { name: 'Report', agent_id: agentId, prompt_template: '[[say {{ word }}]]' };
  const notify = { notify_url: receiver.url, notify_secret: SECRET };
  const { id } = (await user.client.post<{ id: string }>('/api/workflows', { ...fields, ...notify })).json;
  const run = await user.client.post<{ run_id: string }>(`/api/workflows/${id}/trigger`, { variables: { word: 'hi' } });
  const [only] = await received(1);
  expect(only && isSigned(only)).toBe(true);
  expect(JSON.parse(only?.body ?? '')).toMatchObject({
    type: 'run.ended',
    workflow: { id, name: 'Report' },
    run: { id: run.json.run_id, status: 'completed', output: 'hi', output_truncated: false, error: null },
  });
  const [delivery] = await delivered(`/api/workflows/${id}`, 1);
  expect(delivery).toMatchObject({ run_id: run.json.run_id, event: 'run.ended' });
  await user.client.post(`/api/workflows/${id}/deliveries/${delivery?.id}/redeliver`);
  const [, again] = await received(2);
  expect(again && idOf(again)).toBe(delivery?.id);
});

test('the end of a run is told to notify_url of its schedule', async () => {
  const fields = { name: 'Weekly', agent_id: agentId, prompt: '[[say monday]]', cron_expr: '0 9 * * mon' };
  const notify = { notify_url: receiver.url, notify_secret: SECRET };
  const { id } = (await user.client.post<{ id: string }>('/api/schedules', { ...fields, ...notify })).json;
  const run = await user.client.post<{ run_id: string }>(`/api/schedules/${id}/trigger`);
  const [only] = await received(1);
  expect(only && isSigned(only)).toBe(true);
  expect(JSON.parse(only?.body ?? '')).toMatchObject({
    type: 'run.ended',
    workflow: null,
    schedule: { id, name: 'Weekly' },
    run: { id: run.json.run_id, status: 'completed', output: 'monday' },
  });
  const [delivery] = await delivered(`/api/schedules/${id}`, 1);
  await user.client.post(`/api/schedules/${id}/deliveries/${delivery?.id}/redeliver`);
  const [, again] = await received(2);
  expect(again && idOf(again)).toBe(delivery?.id);
});
