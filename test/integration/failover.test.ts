import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createProvider } from '../support/factories.ts';
import { inLength, isLong, longTest } from '../support/in-length.ts';
import { passTime } from '../support/pass-time.ts';
import { startOwnInstance, startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

let instance: TestInstance;
let chat: OpenChat;
interface Shown {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly cooldown_until: string | null;
  readonly disabled_reason: string | null;
  readonly last_failure: string | null;
  readonly last_failed_at: string | null;
}

/** A chat whose chain goes from the account `First` (model `one`) to `Second` (model `two`). */
async function chained(provider: Record<string, unknown> = {}): Promise<void> {
  chat = await OpenChat.create(instance, { provider: { name: 'First', model_name: 'one', ...provider } });
  const { client } = chat.user;
  await createProvider(client, instance.model.url, { provider_type: 'groq', name: 'Second', model_name: 'two' });
  const steps = [{ provider_type: 'openai-compatible' }, { provider_type: 'groq' }];
  const { json } = await client.post<{ id: string }>('/api/providers/chains', { name: 'Chain', steps });
  const { status } = await client.patch(`/api/chats/${chat.id}/provider-chain`, { provider_chain_id: json.id });
  expect(status).toBe(200);
}

async function send(content: string) {
  const stream = await chat.post({ content });
  const end = await stream.waitForEnd();
  const answer = (await chat.answers()).at(-1);
  return { end, answer, text: stream.text };
}

async function account(name: string): Promise<Shown | undefined> {
  const { json } = await chat.user.client.get<Shown[]>('/api/providers');
  return json.find((each) => each.name === name);
}

const chatState = async () =>
  (await chat.user.client.get<{ status: string; waiting_until: string | null }>(`/api/chats/${chat.id}`)).json;

async function waiting(): Promise<string> {
  return waitUntil('the chat to wait', async () => {
    const { status, waiting_until: until } = await chatState();
    return status === 'waiting' && until !== null ? until : undefined;
  });
}

/** The limits on a response of a model: those that respond get no longer either. */
const LIMITS = { MODEL_FIRST_BYTE_TIMEOUT: '15', MODEL_IDLE_TIMEOUT: '15' };
const casesOfEach = inLength(2, Infinity);

beforeAll(async () => {
  instance = await (isLong ? startOwnInstance({ worker: LIMITS }) : startTestInstance());
});
afterAll(async () => instance.close());
afterEach(() => chat.close());

describe('the next provider of the chain answers', () => {
  test.each(
    [
      ['fails', '[[status 500]]'],
      ['breaks off in the middle', '[[cut after 3 chunks]]'],
      ['hangs in the middle', '[[hold never after 2 chunks]]'],
      ['is busy', '[[status 429]]'],
      ['is overloaded', '[[status 529]]'],
      ['refuses the key', '[[status 401]]'],
      ['does not know the model', '[[status 404]]'],
      ['says nothing', '[[silent]]'],
      ['says that it breaks off', '[[finish insufficient_system_resource]]'],
      ['reports an error in the middle', '[[error-in-stream after 3 chunks]]'],
    ].slice(0, casesOfEach),
  )('when the first %s, and no text is shown twice', async (_what, fault) => {
    await chained();
    const { end, answer, text } = await send(`${fault} [[only one]] fault`);
    expect(end.event).toBe('stream_end');
    expect(answer).toMatchObject({ provider_used: 'Second', metadata_: { status: 'completed', model: 'two' } });
    expect(answer?.content).toBe('You said: fault');
    if (text.startsWith('w1')) return;
    expect(text).toBe(answer?.content);
  });
});

describe('an account', () => {
  test('that is busy rests as long as its provider asks, and is not asked meanwhile', async () => {
    await chained();
    await send('[[status 429 retry-after 120]] [[only one]] first');
    const shown = await account('First');
    expect(shown?.status).toBe('cooling_down');
    expect(Date.parse(shown?.cooldown_until ?? '') - Date.now()).toBeGreaterThan(100_000);
    const before = instance.model.requests.filter(({ model }) => model === 'one').length;
    expect((await send('second')).answer?.provider_used).toBe('Second');
    expect(instance.model.requests.filter(({ model }) => model === 'one')).toHaveLength(before);
  });

  test('whose key is refused is disabled with a reason, until it is given another', async () => {
    await chained();
    await send('[[status 401]] [[only one]] first');
    const shown = await account('First');
    expect(shown).toMatchObject({
      status: 'disabled',
      disabled_reason: expect.stringContaining('rejected the credentials'),
    });
    expect((await send('second')).answer?.provider_used).toBe('Second');
    await chat.user.client.patch(`/api/providers/${shown?.id ?? ''}`, {
      credentials: { api_key: 'sk-new-0123456789' },
    });
    expect((await send('third')).answer?.provider_used).toBe('First');
  });

  const WELL = { status: 'active', last_failure: null, last_failed_at: null };
  const isWell = async () => {
    const shown = await account('First');
    return shown?.last_failure === null && shown.last_failed_at === null ? true : undefined;
  };

  test.each(
    [
      ['fails', '[[status 500]]', 'First failed (HTTP 500'],
      ['does not know the model', '[[status 404]]', 'First does not have the model "one"'],
      ['says nothing', '[[silent]]', 'First did not begin its reply'],
      ['breaks off in the middle', '[[cut after 3 chunks]]', 'First closed the connection'],
    ].slice(0, casesOfEach),
  )('that %s says so in words, with the time, until it answers again', async (_what, fault, words) => {
    await chained();
    await send(`${fault} [[only one]] first`);
    expect(await account('First')).toMatchObject({
      status: 'active',
      last_failure: expect.stringContaining(words),
      last_failed_at: expect.any(String),
    });
    expect((await send('second')).answer?.provider_used).toBe('First');
    await waitUntil('the failure to be over', isWell);
  });

  test('that answers when it is asked once more within a turn has no failure left', async () => {
    chat = await OpenChat.create(instance, { provider: { name: 'First', model_name: 'one' } });
    expect((await send('[[status 500]] [[times 1]] first')).end.event).toBe('stream_end');
    await waitUntil('the failure to be over', isWell);
  });

  test('that refuses one conversation is not said to fail', async () => {
    await chained();
    await send('[[status 400]] [[only one]] first');
    expect(await account('First')).toMatchObject(WELL);
  });

  test('that was used longest ago is asked first, among those of a type', async () => {
    await chained();
    await createProvider(chat.user.client, instance.model.url, { name: 'Third', model_name: 'three' });
    const used: (string | null | undefined)[] = [];
    for (let n = 0; n < 4; n += 1) used.push((await send(`message ${n}`)).answer?.provider_used);
    expect(used).toEqual(['First', 'Third', 'First', 'Third']);
  });
});

describe('a turn whose providers all rest', () => {
  const busy = '[[status 429 retry-after 600]] [[times 1]]';
  const single = async () => {
    chat = await OpenChat.create(instance, { provider: { name: 'First', cooldown_seconds: 1 } });
  };

  test('waits, shows until when, and goes on', async () => {
    await single();
    const stream = await chat.post({ content: `${busy} patience` });
    expect(Date.parse(await waiting())).toBeGreaterThan(Date.now());
    await passTime(instance.api.database, '11 minutes');
    expect((await stream.waitForEnd()).event).toBe('stream_end');
    expect((await chat.answers())[0]).toMatchObject({ content: 'You said: patience', provider_used: 'First' });
    expect(await chatState()).toMatchObject({ status: 'idle', waiting_until: null });
  });

  longTest('waits on when its worker dies', async () => {
    await single();
    const stream = await chat.post({ content: `${busy} survive` });
    await waiting();
    await instance.killWorkers();
    await instance.addWorker();
    await passTime(instance.api.database, '11 minutes');
    expect((await stream.waitForEnd()).event).toBe('stream_end');
    expect((await chat.answers())[0]?.content).toBe('You said: survive');
  });

  test('can be interrupted, however long the wait would be', async () => {
    await single();
    const stream = await chat.post({ content: busy });
    await waiting();
    await chat.user.client.post(`/api/chats/${chat.id}/interrupt`);
    const end = await stream.waitForEnd();
    expect(end).toMatchObject({ event: 'stream_end', data: { message: { metadata_: { status: 'interrupted' } } } });
  });

  test('fails with a clear message when the wait is too long', async () => {
    await single();
    const stream = await chat.post({ content: '[[status 429 retry-after 600]] too long' });
    await waiting();
    await passTime(instance.api.database, '7 hours');
    expect(await stream.waitForEnd()).toMatchObject({
      event: 'error',
      data: { message: expect.stringContaining('First') },
    });
  });
});
