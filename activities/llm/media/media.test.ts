import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { OpenAI, toFile } from 'openai';
import { parsePrivateHosts } from '../../../domain/network/addresses.ts';
import { MediaServer } from '../../../test/support/media-server.ts';
import { OutsideServer, type Reply } from '../../../test/support/outside-server.ts';
import { pngOf } from '../../../test/support/picture.ts';
import { createGuardedFetch } from '../../core/network/guarded-fetch.ts';
import { GoogleTokens } from '../../core/google-tokens.ts';
import { AccountSignIn } from '../sign-in.ts';
import { askForImages, askForTranscript, createMediaCall } from '../media.ts';

const PICTURE = pngOf(8, 8);
const SOUND = { name: 'audio.wav', bytes: Buffer.from('RIFF-some-sound') };
const never = new AbortController().signal;

let server: MediaServer;
let outside: OutsideServer;
let egress: ReturnType<typeof createGuardedFetch>;
beforeAll(async () => {
  [server, outside] = await Promise.all([MediaServer.start(PICTURE), OutsideServer.start()]);
  egress = createGuardedFetch(parsePrivateHosts(`127.0.0.1:${server.port},127.0.0.1:${outside.port}`));
});
beforeEach(() => {
  server.seen.length = 0;
  server.behaviour = {};
});
afterAll(async () => {
  await egress.close();
  server.close();
  outside.close();
});

function chosen(baseUrl = server.url, streamType = 'openai_compat') {
  const account = { id: null, name: 'Mine', providerType: 'openai', baseUrl, apiKey: 'sk-secret-1' };
  return { account, model: 'gpt-image-2', streamType };
}

const signIns = new AccountSignIn(
  new GoogleTokens({ http: { request: async () => Promise.reject(new Error('not asked')) } }),
);
const call = async () => createMediaCall(egress.fetch, signIns);
const ask = async (request: Partial<Parameters<typeof askForImages>[2]> = {}, by = chosen()) =>
  askForImages(await call(), by, { prompt: 'a cat', n: 1, size: undefined, image: undefined, ...request }, never);
const listen = async (request: Partial<Parameters<typeof askForTranscript>[2]> = {}, by = chosen()) =>
  askForTranscript(
    await call(),
    by,
    { file: SOUND, language: undefined, prompt: undefined, timestamps: false, ...request },
    never,
  );

describe('the server of these tests', () => {
  const client = () => new OpenAI({ apiKey: 'sk-secret-1', baseURL: server.url, maxRetries: 0 });

  test("is understood by the vendor's own client, and understands it", async () => {
    const made = await client().images.generate({ model: 'gpt-image-2', prompt: 'a cat', n: 2 });
    expect(made.data?.map((each) => each.b64_json)).toEqual([0, 0].map(() => PICTURE.toString('base64')));
    expect(made.usage?.output_tokens).toBe(1_000);
    const image = await toFile(PICTURE, 'image.png', { type: 'image/png' });
    const edited = await client().images.edit({ model: 'gpt-image-2', prompt: 'greyer', image });
    expect(edited.data).toHaveLength(1);
    const file = await toFile(SOUND.bytes, SOUND.name);
    const heard = await client().audio.transcriptions.create({
      model: 'whisper-1',
      file,
      response_format: 'verbose_json',
    });
    expect([heard.text, heard.segments?.[0]?.end]).toEqual(['I heard 15 bytes.', 1.5]);
  });

  test('is sent the same by that client and by the service', async () => {
    const image = await toFile(PICTURE, 'image.png', { type: 'image/png' });
    await client().images.generate({ model: 'gpt-image-2', prompt: 'a cat', n: 2, size: '1024x1024' });
    await client().images.edit({ model: 'gpt-image-2', prompt: 'greyer', n: 1, image });
    const file = await toFile(SOUND.bytes, SOUND.name);
    await client().audio.transcriptions.create({
      model: 'gpt-image-2',
      file,
      response_format: 'verbose_json',
      timestamp_granularities: ['segment'],
      language: 'en',
      prompt: 'Ada',
    });
    const theirs = server.seen.splice(0);
    await ask({ n: 2, size: '1024x1024' });
    await ask({ prompt: 'greyer', image: { name: 'image.png', bytes: PICTURE } });
    await listen({ timestamps: true, language: 'en', prompt: 'Ada' });
    expect(server.seen).toEqual(theirs);
  });
});

describe('pictures', () => {
  test('come with what they have used', async () => {
    expect(await ask({ n: 2 })).toEqual({
      images: [{ bytes: PICTURE }, { bytes: PICTURE }],
      usage: { inputTokens: 100, outputTokens: 1_000, images: 2 },
    });
  });

  test('may come as links', async () => {
    server.behaviour = { pictures: 'link' };
    expect((await ask()).images).toEqual([{ url: expect.stringContaining('/pictures/0.png') }]);
  });
});

describe('a transcript', () => {
  test('comes with what is billed', async () => {
    expect(await listen()).toMatchObject({ text: 'I heard 15 bytes.', parts: undefined, usage: { seconds: 90 } });
  });

  test('includes times when they are wanted', async () => {
    const { parts, language } = await listen({ timestamps: true });
    expect([parts, language]).toEqual([[{ start: 0, end: 1.5, text: 'I heard 15 bytes.' }], 'english']);
  });
});

const answer =
  (content: string, status = 200, type = 'application/json'): Reply =>
  (response) =>
    void response.writeHead(status, { 'content-type': type }).end(content);

describe('a provider that', () => {
  test.each<[string, Reply, string, string]>([
    ['is too busy', answer('{"error":{"message":"slow down"}}', 429), 'busy', 'rate limit'],
    ['rejects the key', answer('{"error":{"message":"bad key sk-secret-1"}}', 401), 'credentials', '[secret]'],
    ['rejects the prompt', answer('{"error":{"message":"safety system"}}', 400), 'rejected', 'safety system'],
    ['sends a page', answer('<p>', 200, 'text/html'), 'outage', 'a web page'],
    ['sends no pictures', answer('{"data":[]}'), 'outage', 'without a picture'],
    ['sends something else', answer('{"data":[{"b64_json":7}]}'), 'outage', 'no picture'],
    ['hangs up', (response) => void response.destroy(), 'outage', 'Mine'],
  ])('%s fails', async (_what, reply, kind, words) => {
    outside.reply = reply;
    await expect(ask({}, chosen(`${outside.url}/v1`))).rejects.toMatchObject({
      name: 'ProviderFailure',
      kind,
      message: expect.stringContaining(words),
    });
  });

  test('speaks another format is not called', async () => {
    await expect(listen({}, chosen(server.url, 'anthropic'))).rejects.toThrow('offers no pictures and no speech');
    expect(server.seen).toEqual([]);
  });
});

test('the times of a transcript are read in every way of writing them', async () => {
  outside.reply = answer('{"text":"Hi.","duration":90.0,"segments":[{"start":1e0,"end":3.0,"text":"Hi."}]}');
  const { parts, seconds } = await listen({ timestamps: true }, chosen(`${outside.url}/v1`));
  expect([parts, seconds]).toEqual([[{ start: 1, end: 3, text: 'Hi.' }], 90]);
});

test('an account signs in as its provider wants it', async () => {
  const azure = chosen(`${outside.url}/v1`);
  outside.seen.length = 0;
  outside.reply = answer(JSON.stringify({ data: [{ b64_json: PICTURE.toString('base64') }] }));
  await ask({}, { ...azure, account: { ...azure.account, providerType: 'azure' } });
  const sent = outside.seen[0]?.headers;
  expect([sent?.['api-key'], sent?.authorization]).toEqual(['sk-secret-1', undefined]);
});
