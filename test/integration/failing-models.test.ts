import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { inLength, isLong, longTest } from '../support/in-length.ts';
import { say } from '../support/scripted-model/index.ts';
import type { ServerFrame } from '../support/socket-client.ts';
import { startOwnInstance, startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { OpenChat, type ShownMessage } from './open-chat.ts';

const KEY = 'sk-live-CANARY-0123456789';
const NAME = 'Scripted model';

let instance: TestInstance;
let chat: OpenChat;

interface Outcome {
  readonly end: ServerFrame;
  readonly answer: ShownMessage;
  readonly text: string;
}

/** Sends a message, waits for its end and checks what holds for every turn, however its model behaves. */
async function send(content: string): Promise<Outcome> {
  const socket = await chat.connect();
  const stream = await chat.post({ content });
  const end = await socket.waitForEnd();
  await stream.waitForEnd();
  const answers = await chat.answers();
  const [answer] = answers;
  if (answer === undefined) throw new Error('the turn ended without an answer');
  // An account whose key was refused is disabled until it is given another.
  await chat.user.client.patch(`/api/providers/${await accountId()}`, { credentials: { api_key: KEY } });
  // The next turn shows that nothing hangs and that no second end follows.
  socket.send({ type: 'message', content: '[[say fine]]', client_message_id: 'next' });
  instance.model.script(null);
  expect(await socket.waitForEnd(2)).toMatchObject({ type: 'stream_end', content: 'fine' });
  expect([answers.length, socket.endings.length]).toEqual([1, 2]);
  expect(JSON.stringify([socket.frames, stream.events, await chat.messages()])).not.toContain('CANARY');
  const text = stream.text;
  return { end, answer, text };
}

async function accountId(): Promise<string> {
  const { json } = await chat.user.client.get<{ id: string }[]>('/api/providers');
  return json[0]?.id ?? '';
}

async function failure(content: string): Promise<{ why: unknown; content: string; text: string }> {
  chat = await OpenChat.create(instance, { provider: { credentials: { api_key: KEY } } });
  const { end, answer, text } = await send(content);
  expect(answer.metadata_['status']).toBe('failed');
  expect(end).toEqual({ type: 'error', message: answer.metadata_['error'] });
  return { why: answer.metadata_['error'], content: answer.content, text };
}

async function success(content: string): Promise<Outcome> {
  chat = await OpenChat.create(instance);
  const outcome = await send(content);
  expect(outcome.end).toMatchObject({ type: 'stream_end', content: outcome.answer.content });
  expect(outcome.answer).toMatchObject({ metadata_: { status: 'completed' }, provider_used: NAME });
  expect(outcome.text).toBe(outcome.answer.content);
  return outcome;
}

/** The api refuses a private address; one that was public yesterday is only seen by the worker. */
async function setBaseUrl(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: instance.databaseUrl });
  await client.connect();
  await client.query("set app.scope = 'system'");
  await client.query('update provider_accounts set base_url = $1 where org_id = $2', [url, chat.user.orgId]);
  await client.end();
}

/** The limits on a response of a model: those that respond get no longer either. */
const LIMITS = { MODEL_FIRST_BYTE_TIMEOUT: '15', MODEL_IDLE_TIMEOUT: '15', MODEL_TOTAL_TIMEOUT: '30' };
const casesOfEach = inLength(1, Infinity);

beforeAll(async () => {
  instance = await (isLong ? startOwnInstance({ openPorts: [], worker: LIMITS }) : startTestInstance());
});
afterAll(async () => instance.close());
afterEach(() => {
  chat.close();
  instance.model.script(null);
});

describe('a turn fails and says why', () => {
  test.each(
    [
      [
        '[[status 401]]',
        "rejected the credentials (HTTP 401: Incorrect API key provided: [secret]). Check the account's API key",
      ],
      ['[[silent]]', 'did not begin its reply within 15 seconds'],
      ['[[stall]]', 'did not begin its reply within 15 seconds'],
      ['[[reset]]', 'could not be reached: it closed the connection'],
      ['[[html]]', "answered with a web page where a stream of the answer was expected. Check the account's base_url"],
      ['[[nonsense]]', 'sent something that is not a streamed chat completion'],
      ['[[empty]]', 'sent an empty reply'],
      ['[[empty]] [[length]]', "used up its token limit before it wrote anything; raise the agent's max_tokens"],
      ['[[empty]] [[content-filter]]', 'withheld the reply: its content filter stopped it'],
      [
        '[[redirect http://127.0.0.1:1/v1]]',
        "responded with a redirect (HTTP 307), which is not followed. Check the account's base_url",
      ],
      [
        '[[status 400]]',
        'cannot accept the conversation: it is too long for the model "scripted-1" (HTTP 400: This model\'s maximum context length is 8192 tokens). Start a new chat, or exclude long messages from this one',
      ],
      [
        '[[status 403]]',
        "denied access (HTTP 403: You are not allowed to use this model). Check what the account's API key may use",
      ],
      [
        '[[status 404]]',
        'does not have the model "scripted-1", or not at this address (HTTP 404: The model does not exist or you do not have access to it). Check the model\'s name and the account\'s base_url',
      ],
      ['[[status 500]]', 'failed (HTTP 500: The server had an error while processing your request). Try again later'],
    ].slice(0, casesOfEach),
  )('before the first word, when the model answers %s', async (directive, why) => {
    expect(await failure(directive)).toEqual({ why: `${NAME} ${why}`, content: `${NAME} ${why}`, text: '' });
  });

  test.each(
    [
      ['[[cut after 5 chunks]]', 'closed the connection before its reply was complete'],
      ['[[hold never after 5 chunks]]', 'stopped in the middle of its reply and sent nothing for 15 seconds'],
      [
        '[[say w1 w2 w3 w4 w5]] [[finish insufficient_system_resource]]',
        'broke off its reply because of an internal error (insufficient_system_resource)',
      ],
      ['[[fin after 5 chunks]]', 'closed the connection before its reply was complete'],
      [
        '[[error-in-stream after 5 chunks]]',
        'reported an error in its reply: The server had an error while processing your request',
      ],
      ['[[say w1 w2 w3 w4 w5]] [[content-filter]]', 'withheld the reply: its content filter stopped it'],
    ].slice(0, casesOfEach),
  )('and keeps what was said, when the model answers %s', async (directive, why) => {
    const said = 'w1 w2 w3 w4 w5';
    expect(await failure(directive)).toEqual({ why: `${NAME} ${why}`, content: said, text: said });
  });

  longTest('when the answer drips in too slowly to ever end', async () => {
    const { why } = await failure('[[say a long story]] [[drip 1 byte every 100ms]]');
    expect(why).toBe(`${NAME} did not finish its reply within 30 seconds`);
  });

  test.each(['[[bigchunk 3MB]]', '[[huge 10MB]]'].slice(0, casesOfEach))(
    'because the answer is too long, and its first million characters are stored, when the model answers %s',
    async (directive) => {
      const { why, content } = await failure(directive);
      expect(why).toBe('The answer was longer than 1,000,000 characters');
      // White space at the end was not shown yet: a call could have followed it.
      expect([content.length, content.length + 1]).toContain(1_000_000);
    },
  );

  longTest('because one event of the stream holds more than any answer may', async () => {
    expect((await failure('[[bigchunk 5MB]]')).why).toBe(`${NAME} sent far more than a reply can contain`);
  });

  test.each(
    ['http://10.0.0.1/v1', 'http://127.0.0.1:1/v1', 'http://169.254.169.254/v1', 'http://localhost:9/v1'].slice(
      0,
      casesOfEach,
    ),
  )('and sends nothing, when the address of the account has become a private one (%s)', async (url) => {
    chat = await OpenChat.create(instance);
    await setBaseUrl(url);
    const stream = await chat.post({ content: 'x' });
    const why = `${NAME} cannot be called: The address leads to a private address`;
    expect((await stream.waitForEnd()).data['message']).toContain(why);
    expect((await chat.answers())[0]).toMatchObject({ metadata_: { status: 'failed' } });
  });

  longTest('when the address of the account leads to something else than a provider', async () => {
    chat = await OpenChat.create(instance);
    await setBaseUrl(instance.model.url.replace('/v1', '/v2'));
    const stream = await chat.post({ content: 'x' });
    expect((await stream.waitForEnd()).data['message']).toContain(
      'does not have the model "scripted-1", or not at this',
    );
  });
});

describe('a turn completes', () => {
  test.each(
    [
      ['[[say w1 w2]] [[crlf]]', 'w1 w2'],
      ['[[say w1 w2]] [[cr]]', 'w1 w2'],
      ['[[say w1 w2]] [[no-space]]', 'w1 w2'],
      ['[[say w1 w2]] [[bom]]', 'w1 w2'],
      ['[[say w1 w2]] [[multi-line]]', 'w1 w2'],
      ['[[say w1 w2]] [[done-twice]]', 'w1 w2'],
      ['[[say w1 w2]] [[chunk-after-done]]', 'w1 w2'],
      ['[[say w1 w2]] [[keepalive]]', 'w1 w2'],
      ['[[say w1 w2]] [[reasoning hm, let me see]]', 'w1 w2'],
      ['[[split-utf8]]', ' Grüße, 世界 🌍!'],
      ['[[say w1 w2]] [[drip 9 bytes every 1ms]]', 'w1 w2'],
    ].slice(0, casesOfEach),
  )('with the same text however it is sent (%s)', async (directive, text) => {
    expect((await success(directive)).answer.content).toBe(text);
  });

  test('and says so in its metadata, when the token limit cut the answer', async () => {
    const { answer } = await success('[[say w1 w2]] [[length]]');
    expect(answer.metadata_['finish_reason']).toBe('length');
  });

  longTest("and keeps its provider's word for an end that nobody else knows", async () => {
    const { answer } = await success('[[say w1 w2]] [[finish something_new]]');
    expect([answer.content, answer.metadata_['finish_reason']]).toEqual(['w1 w2', 'something_new']);
  });

  test.each(['[[usage-apart]]', '[[usage-inline]]'].slice(0, casesOfEach))(
    'and counts the tokens that are reported (%s)',
    async (directive) => {
      const { answer } = await success(`[[say w1 w2]] [[usage 100 20]] ${directive}`);
      expect(answer.metadata_).toMatchObject({
        usage: { input_tokens: 100, output_tokens: 20 },
        usage_estimated: false,
      });
    },
  );

  test.each(['[[no-usage]]', '[[usage -5 20]]'].slice(0, casesOfEach))(
    'and estimates the tokens, when %s',
    async (directive) => {
      const { answer } = await success(`[[say four char word]] ${directive}`);
      expect(answer.metadata_).toMatchObject({ usage: { output_tokens: 4 }, usage_estimated: true });
    },
  );

  longTest('after a pause before the first word that is shorter than the limit', async () => {
    expect((await success('[[say late]] [[think 500ms]]')).answer.content).toBe('late');
  });

  test('and its text holds a sign in place of what cannot be stored', async () => {
    chat = await OpenChat.create(instance);
    instance.model.script(say('a\u0000b \ud800 c \udc00 d'));
    const stream = await chat.post({ content: 'x' });
    await stream.waitForEnd();
    const [answer] = await chat.answers();
    expect(answer).toMatchObject({ content: 'a\uFFFDb \uFFFD c \uFFFD d', metadata_: { status: 'completed' } });
    expect(stream.text).toBe(answer?.content);
  });

  test('and the words of a failure hold a sign in place of what cannot be stored', async () => {
    chat = await OpenChat.create(instance);
    instance.model.script({ kind: 'status', status: 500, message: 'a\u0000b\ud800c' });
    const end = await (await chat.post({ content: 'x' })).waitForEnd();
    expect(end).toMatchObject({ event: 'error', data: { message: expect.stringContaining('HTTP 500: a') } });
  });
});
