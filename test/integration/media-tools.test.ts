import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createProvider, uploadFile } from '../support/factories.ts';
import { MediaServer } from '../support/media-server.ts';
import { pngOf } from '../support/picture.ts';
import { registerColleague } from '../support/people.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

const TOOLS = ['image_generate', 'audio_transcribe', 'image_process'];
/** Of gpt-image-2 for 100 tokens of input and 1,000 of output. */
const COST_OF_PICTURE = (100 * 5 + 1_000 * 30) / 1_000_000;

let media: MediaServer;
let instance: TestInstance;
let chat: OpenChat;
beforeAll(async () => {
  media = await MediaServer.start(pngOf(40, 20));
  instance = await startTestInstance();
});
afterAll(async () => {
  await instance.close();
  media.close();
});
afterEach(() => {
  chat.close();
  media.seen.length = 0;
  media.behaviour = {};
});

interface Metadata {
  readonly tool_calls_detail: readonly { status: string; result: string }[];
  readonly usage: { input_tokens: number; output_tokens: number; cost_usd?: number };
}

/** Opens a chat whose organization has an account for pictures and speech. */
async function open(account: Record<string, unknown> = {}): Promise<OpenChat> {
  chat = await OpenChat.create(instance, { agent: { tools: TOOLS } });
  await createProvider(chat.user.client, media.url, {
    provider_type: 'openai',
    name: 'Studio',
    model_name: null,
    ...account,
  });
  return chat;
}

async function ask(content: string): Promise<Metadata> {
  const stream = await chat.post({ content });
  await stream.waitForEnd();
  return (await chat.messages()).findLast(({ role }) => role === 'assistant')?.metadata_ as unknown as Metadata;
}

const use = async (tool: string, ...calls: readonly object[]) =>
  ask(
    `${calls.map((args) => `[[tool ${tool} ${JSON.stringify(args)}]]`).join(' ')} [[usage 10 1]] [[then]] [[say done]] [[usage 10 1]]`,
  );

/** Makes one call and returns how it ended. */
async function outcome(tool: string, args: object) {
  const [call] = (await use(tool, args)).tool_calls_detail;
  return { status: call?.status, result: call?.result ?? '' };
}

/** Makes calls of a tool that reach nobody, and end with the words. */
async function expectRefused(tool: string, calls: readonly (readonly [args: object, words: string])[]) {
  const { tool_calls_detail: details } = await use(tool, ...calls.map(([args]) => args));
  const refused = calls.map(([, words]) => ({ status: 'error', result: expect.stringContaining(words) }));
  expect(details).toMatchObject(refused);
  expect(media.seen).toEqual([]);
}

/** Waits until the call of the chat is set aside. */
async function callSetAside(): Promise<{ readonly id: string; readonly waitMs: number }> {
  return waitUntil('the call to be set aside', async () => {
    const { rows } = await instance.api.database.system.query<{ id: string; waitMs: number }>(
      `select k.id, extract(epoch from k.not_before - now())::float8 * 1000 as "waitMs"
        from tool_calls k join turns t on t.id = k.turn_id where t.chat_id = $1 and k.not_before > now()`,
      [chat.id],
    );
    return rows[0];
  });
}

async function makeDue(callId: string): Promise<void> {
  await instance.api.database.system.query('update tool_calls set not_before = now() where id = $1', [callId]);
}

describe('image_generate', () => {
  test('writes pictures in the format of their path, and the turn tells what they have cost', async () => {
    await open({ provider_type: 'openai' });
    const { usage, tool_calls_detail: calls } = await use('image_generate', {
      prompt: 'a cat',
      output: 'pictures/cat.webp',
      n: 2,
      size: '1024x1024',
    });
    expect(calls[0]).toMatchObject({ status: 'success', result: expect.stringContaining('pictures/cat-2.webp') });
    expect(media.seen).toMatchObject([{ fields: { model: 'gpt-image-2', prompt: 'a cat', n: 2, size: '1024x1024' } }]);
    expect(usage).toMatchObject({ input_tokens: 120, output_tokens: 1_002 });
    expect(usage.cost_usd).toBeUndefined();
    const { result } = await outcome('image_process', { file: 'pictures/cat-2.webp' });
    expect(JSON.parse(result)).toMatchObject({ format: 'webp', width: 40, height: 20 });
    const lines = await chat.user.client.get<{ lines: unknown[] }>('/api/usage?group_by=model');
    expect(lines.json.lines).toMatchObject([
      { key: 'openai/gpt-image-2', calls: 1, turns: 0, output_tokens: 1_000, cost_usd: COST_OF_PICTURE },
      { key: 'openai-compatible/scripted-1', calls: 4, turns: 2, cost_usd: null },
    ]);
  });

  test('fetches pictures that come as links, and changes one of the workspace', async () => {
    await open();
    media.behaviour = { pictures: 'link' };
    expect((await outcome('image_generate', { prompt: 'a cat', output: 'a.png' })).status).toBe('success');
    const args = { prompt: 'greyer', output: 'b.png', image: 'a.png' };
    expect((await outcome('image_generate', args)).status).toBe('success');
    const [, edit] = media.seen;
    expect(edit).toMatchObject({ path: '/v1/images/edits', fields: { prompt: 'greyer' } });
    expect(edit?.files['image']?.bytes.subarray(1, 4).toString()).toBe('PNG');
  });

  test('asks nobody for what cannot be made', async () => {
    await open();
    await expectRefused('image_generate', [
      [{ prompt: 'a', output: 'a.txt' }, 'must end with .png'],
      [{ prompt: 'a', output: '../a.png' }, ''],
      [{ prompt: 'a', output: 'a.png', size: 'huge' }, 'size must match'],
      [{ prompt: 'a', output: 'a.png', model: 'x' }, 'Give provider_id with model'],
      [{ prompt: 'a', output: 'a.png', provider_id: 'Nobody' }, 'no provider account'],
      [{ prompt: 'a', output: 'a.png', image: 'none.png' }, 'nothing at this path'],
    ]);
  });

  test('refuses what is no picture, and a picture of too many pixels', async () => {
    await open();
    for (const [bytes, words] of [
      [Buffer.from('<svg></svg>'), 'SVG'],
      [pngOf(30_000, 30_000, false), 'The picture is'],
    ] as const) {
      media.behaviour = { bytes };
      expect(await outcome('image_generate', { prompt: 'a', output: 'a.png' })).toMatchObject({
        status: 'error',
        result: expect.stringContaining(words),
      });
    }
  });

  test('says that there is no such model, and which account would have one', async () => {
    chat = await OpenChat.create(instance, { agent: { tools: TOOLS } });
    expect(await outcome('image_generate', { prompt: 'a', output: 'a.png' })).toMatchObject({
      status: 'error',
      result: expect.stringMatching(/denied.*No provider account.*OpenAI/s),
    });
  });

  test('asks an account of any provider for a model that it is told', async () => {
    await open({ provider_type: 'openai-compatible', name: 'Own', model_name: 'none-of-these' });
    const args = { prompt: 'a', output: 'a.png', provider_id: 'own', model: 'sd-9' };
    expect((await outcome('image_generate', args)).status).toBe('success');
    expect(media.seen).toMatchObject([
      { fields: { model: 'sd-9' }, authorization: expect.stringContaining('sk-test') },
    ]);
  });

  test('does not use the accounts of others', async () => {
    const owner = await open();
    const member = await registerColleague(instance.api, owner.user, 'member');
    await createProvider(member.client, media.url, { provider_type: 'openai', name: 'Private', model_name: null });
    const args = { prompt: 'a', output: 'a.png', provider_id: 'Private' };
    expect(await outcome('image_generate', args)).toMatchObject({
      result: expect.stringContaining('no provider account'),
    });
  });

  test('is told as unknown when the provider fails in the middle, and asks no other', async () => {
    await open();
    await createProvider(chat.user.client, media.url, { provider_type: 'openai', name: 'Second', model_name: null });
    media.behaviour = { status: 503 };
    expect(await outcome('image_generate', { prompt: 'a', output: 'a.png' })).toMatchObject({ status: 'unknown' });
    expect(media.seen).toHaveLength(1);
  });
});

describe('audio_transcribe', () => {
  const SOUND = Buffer.from('RIFF-some-sound');
  const hear = async (args: object) => {
    await uploadFile(chat.user.client, chat.id, { name: 'talk.wav', content: SOUND });
    return outcome('audio_transcribe', args);
  };

  test('tells what was said, and when, marked as text from outside', async () => {
    await open();
    const { status, result } = await hear({ file: 'uploads/talk.wav', timestamps: true, language: 'en' });
    expect([status, result]).toEqual(['success', expect.stringContaining('I heard 15 bytes.')]);
    expect(result).toMatch(/untrusted|data/i);
    expect(result).toContain('1.5');
    expect(media.seen).toMatchObject([
      { fields: { model: 'whisper-1', language: 'en', response_format: 'verbose_json' } },
    ]);
  });

  test('asks the next account when one is busy', async () => {
    await open();
    await createProvider(chat.user.client, media.url, { provider_type: 'groq', name: 'Second', model_name: null });
    media.behaviour = { status: 429 };
    expect(await hear({ file: 'uploads/talk.wav' })).toMatchObject({
      status: 'error',
      result: expect.stringContaining('rate_limited'),
    });
    expect(media.seen.map(({ fields }) => String(fields['model'])).toSorted()).toEqual([
      'gpt-4o-transcribe',
      'whisper-large-v3-turbo',
    ]);
  });

  test('waits as long as the provider asks, and asks again once its account is ready', async () => {
    await open();
    await uploadFile(chat.user.client, chat.id, { name: 'talk.wav', content: SOUND });
    media.behaviour = { status: 429, retryAfter: 600 };
    const stream = await chat.post({
      content: '[[tool audio_transcribe {"file":"uploads/talk.wav"}]] [[then]] [[say done]]',
    });
    const { id, waitMs } = await callSetAside();
    expect(waitMs).toBeGreaterThan(550_000);
    // The account is busy still, so nobody is asked.
    await makeDue(id);
    expect((await callSetAside()).waitMs).toBeGreaterThan(550_000);
    expect(media.seen).toHaveLength(1);
    media.behaviour = {};
    const { system } = instance.api.database;
    await system.query("update provider_accounts set cooldown_until = null where name = 'Studio'");
    await makeDue(id);
    await stream.waitForEnd();
    const answer = (await chat.messages()).findLast(({ role }) => role === 'assistant');
    expect(answer?.metadata_).toMatchObject({
      tool_calls_detail: [{ status: 'success', result: expect.stringContaining('I heard 15 bytes.') }],
    });
    expect(media.seen).toHaveLength(2);
  });

  test('asks nobody about what is no sound, is not there or has no such language', async () => {
    await open();
    await uploadFile(chat.user.client, chat.id, { name: 'talk.wav', content: SOUND });
    await expectRefused('audio_transcribe', [
      [{ file: 'uploads/talk.txt' }, 'file must be one of'],
      [{ file: 'uploads/none.wav' }, 'nothing at this path'],
      [{ file: 'uploads/talk.wav', language: 'english' }, 'language must match'],
    ]);
  });
});
