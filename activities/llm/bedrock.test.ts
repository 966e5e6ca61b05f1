import { crc32 } from 'node:zlib';
import {
  BedrockRuntimeClient,
  ConverseStreamCommand,
  type ConverseStreamOutput,
} from '@aws-sdk/client-bedrock-runtime';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { AwsV4Signer } from 'aws4fetch';
import type { ModelMessage } from '../../domain/transcripts/model-message.ts';
import {
  ask,
  awsEvent,
  awsException,
  awsFrame,
  awsStream,
  awsStreamCutAt,
  buildRequest,
  json,
  KEY,
  LIMITS,
  startWireServer,
  stream,
  TIME_TOOL,
  type WireRequest,
  type WireServer,
} from '../../test/support/wire-servers/index.ts';
import { createBedrock } from './bedrock.ts';
import type { SpecialSignIn } from './model-adapter.ts';
import { httpAdapter } from './transport/http-adapter.ts';

let server: WireServer;

beforeAll(async () => {
  server = await startWireServer();
});

beforeEach(() => server.reject(() => undefined));
afterAll(() => server.close());

const MODEL = 'us.anthropic.claude-haiku-4-5-20251001-v1:0';
const KEYS = {
  type: 'aws_keys',
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: 'IQoJb3JpZ2luX2VjEXAMPLE//session==',
  region: 'eu-west-1',
} as const satisfies SpecialSignIn;

type Change = Parameters<typeof buildRequest>[1];

const request = (change: Change = {}) =>
  buildRequest(server.url, { providerType: 'amazon-bedrock', model: MODEL, ...change });
const say = async (change: Change = {}) =>
  ask(httpAdapter(createBedrock(), server.requestStream, LIMITS), request(change));
const lastRequest = () => server.requests.at(-1) as WireRequest;

function withKeys(change: Change = {}) {
  const { account, ...rest } = request(change);
  return { ...rest, account: { ...account, apiKey: undefined, signIn: KEYS } };
}

const usage = { inputTokens: 10, outputTokens: 12, totalTokens: 22 };
const START = awsEvent('messageStart', { role: 'assistant' });
const delta = (index: number, content: unknown) =>
  awsEvent('contentBlockDelta', { contentBlockIndex: index, delta: content, p: 'abcdefgh' });
const stopBlock = (index: number) => awsEvent('contentBlockStop', { contentBlockIndex: index });
const end = (stopReason = 'end_turn', counts: object = usage) =>
  Buffer.concat([
    awsEvent('messageStop', { stopReason }),
    awsEvent('metadata', { usage: counts, metrics: { latencyMs: 5 } }),
  ]);
const call = (index: number, toolUseId: string, ...chunks: string[]) => [
  awsEvent('contentBlockStart', { contentBlockIndex: index, start: { toolUse: { toolUseId, name: 'time_now' } } }),
  ...chunks.map((input) => delta(index, { toolUse: { input } })),
  stopBlock(index),
];
const FULL = Buffer.concat([
  START,
  delta(0, { reasoningContent: { text: 'Let me ' } }),
  delta(0, { reasoningContent: { text: 'see.' } }),
  delta(0, { reasoningContent: { signature: 'sig==' } }),
  stopBlock(0),
  delta(1, { text: 'Grüße, 世' }),
  delta(1, { text: '界 🌍' }),
  stopBlock(1),
  ...call(2, 'tooluse_1', ...'{"zone":"Europe/Berlin"}'.split('')),
  end('tool_use', { ...usage, cacheReadInputTokens: 100, cacheWriteInputTokens: 7 }),
]);
const REASONING = { reasoningContent: { reasoningText: { text: 'Let me see.', signature: 'sig==' } } };

/** Reads with the library of AWS what the server says. */
async function readWithSdk(): Promise<ConverseStreamOutput[]> {
  const client = new BedrockRuntimeClient({
    endpoint: server.url,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
    requestHandler: new NodeHttpHandler(),
    maxAttempts: 1,
  });
  try {
    const answer = await client.send(
      new ConverseStreamCommand({ modelId: MODEL, messages: [{ role: 'user', content: [{ text: 'hello' }] }] }),
    );
    const events: ConverseStreamOutput[] = [];
    for await (const event of answer.stream ?? []) events.push(event);
    return events;
  } finally {
    client.destroy();
  }
}

describe('an answer', () => {
  test('says to the adapter what it says to the library of AWS', async () => {
    server.answer(awsStream(FULL));
    const events = await readWithSdk();
    const deltas = events.map(({ contentBlockDelta }) => contentBlockDelta?.delta);
    const said = await say({ tools: [TIME_TOOL] });
    expect(said).toMatchObject({ end: 'done', failure: undefined });
    expect(said.text).toBe(deltas.map((each) => each?.text ?? '').join(''));
    expect(said.calls.map(({ argumentsText }) => argumentsText)).toEqual([
      deltas.map((each) => each?.toolUse?.input ?? '').join(''),
    ]);
    expect(events.at(-1)?.metadata?.usage).toMatchObject({ inputTokens: 10, cacheReadInputTokens: 100 });
    expect(said.usage).toEqual({
      inputTokens: 117,
      outputTokens: 12,
      cachedInputTokens: 100,
      cacheWriteTokens: 7,
      estimated: false,
    });
  });

  test('is read the same wherever the stream is cut', async () => {
    for (let cut = 1; cut < FULL.length; cut += 97) {
      server.answer(awsStreamCutAt(FULL, cut));
      expect(await say({ tools: [TIME_TOOL] })).toMatchObject({
        text: 'Grüße, 世界 🌍',
        calls: [{ name: 'time_now', argumentsText: '{"zone":"Europe/Berlin"}' }],
        state: { model: MODEL, pieces: [{ type: 'block', block: REASONING }, { type: 'text' }, { type: 'call' }] },
        end: 'done',
      });
    }
  });

  test('is never complete when it is cut off', async () => {
    const beforeStop =
      FULL.length - end('tool_use', { ...usage, cacheReadInputTokens: 100, cacheWriteInputTokens: 7 }).length;
    for (let cut = 0; cut < beforeStop; cut += 101) {
      server.answer(awsStream(FULL.subarray(0, cut)));
      expect(await say()).toMatchObject({ isWhole: true, end: undefined, kind: 'outage' });
    }
  });

  test.each([
    ['end_turn', 'done'],
    ['stop_sequence', 'done'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['guardrail_intervened', 'content_filter'],
    ['content_filtered', 'content_filter'],
  ])('that stops with %s ends as %s', async (reason, expected) => {
    server.answer(awsStream(START, delta(0, { text: 'x' }), end(reason)));
    expect(await say()).toMatchObject({ text: 'x', end: expected });
  });

  test.each(['malformed_tool_use', 'malformed_model_output'])('that stops with %s is a failure', async (reason) => {
    server.answer(awsStream(START, delta(0, { text: 'x' }), end(reason)));
    expect(await say()).toMatchObject({ kind: 'outage', failure: expect.stringContaining('malformed') });
  });

  test('that says only that it stops is whole unless it stops in the middle of a call', async () => {
    const bare = [awsEvent('messageStop', {}), awsEvent('metadata', { usage })];
    server.answer(awsStream(START, ...call(0, 'a', '{"zone":'), ...bare));
    expect(await say()).toMatchObject({ calls: [], end: undefined, kind: 'outage' });
    server.answer(awsStream(START, ...call(0, 'a', '{"zone":', '"a"}'), ...call(1, 'b'), ...bare));
    const whole = [{ argumentsText: '{"zone":"a"}' }, { argumentsText: '' }];
    expect(await say()).toMatchObject({ calls: whole, end: 'done' });
  });

  test('has all calls that were given one index, and the arguments that came under another', async () => {
    const second = [
      awsEvent('contentBlockStart', { contentBlockIndex: 0, start: { toolUse: { toolUseId: 'b', name: 'time_now' } } }),
      delta(7, { toolUse: { input: '{"zone":"b"}' } }),
    ];
    server.answer(awsStream(START, ...call(0, 'a', '{"zone":', '"a"}'), ...second, end('tool_use')));
    expect((await say({ tools: [TIME_TOOL] })).calls).toMatchObject([
      { argumentsText: '{"zone":"a"}' },
      { argumentsText: '{"zone":"b"}' },
    ]);
  });

  test('loses nothing of a call or of reasoning when a text has their index before they are whole', async () => {
    const [head = Buffer.of()] = call(1, 'a');
    const events = [
      delta(0, { reasoningContent: { text: 'Let me see.' } }),
      delta(0, { text: 'One ' }),
      delta(0, { text: 'clock.' }),
      delta(0, { reasoningContent: { signature: 'sig==' } }),
      head,
      delta(1, { text: ' Now:' }),
      delta(1, { toolUse: { input: '{"zone":"a"}' } }),
    ];
    server.answer(awsStream(START, ...events, end('tool_use')));
    expect(await say({ tools: [TIME_TOOL] })).toMatchObject({
      text: 'One clock. Now:',
      calls: [{ argumentsText: '{"zone":"a"}' }],
      state: {
        pieces: [
          { type: 'block', block: REASONING },
          { type: 'text', characters: 10 },
          { type: 'call' },
          { type: 'text', characters: 5 },
        ],
      },
    });
  });

  test('is over when its usage and the reason of its end have come, in either order', () => {
    const metadata = { metadata: { usage } };
    const messageStop = { messageStop: { stopReason: 'end_turn' } };
    for (const [first, second] of [
      [messageStop, metadata],
      [metadata, messageStop],
    ]) {
      const reader = createBedrock().createReader({ model: MODEL });
      reader.read(first);
      expect([reader.isEnding, reader.isOver]).toEqual([first === messageStop, false]);
      reader.read(second);
      expect([reader.isEnding, reader.isOver]).toEqual([true, true]);
      expect(reader.end()).toMatchObject({ ending: { reason: 'done' }, usage: { inputTokens: 10, outputTokens: 12 } });
    }
  });

  test('is read from a whole document', async () => {
    const content = [{ text: 'hi' }, { toolUse: { toolUseId: 'a', name: 'time_now', input: { zone: 'UTC' } } }];
    server.answer(json(200, { output: { message: { role: 'assistant', content } }, stopReason: 'tool_use', usage }));
    expect(await say({ tools: [TIME_TOOL] })).toMatchObject({
      text: 'hi',
      calls: [{ name: 'time_now', argumentsText: '{"zone":"UTC"}' }],
      usage: { inputTokens: 10, outputTokens: 12 },
      end: 'done',
    });
  });
});

/** Returns a frame with right checksums around these headers and this payload. */
function frameOf(headers: Buffer, payload: string): Buffer {
  const body = Buffer.from(payload);
  const bytes = Buffer.alloc(16 + headers.length + body.length);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.writeUInt32BE(headers.length, 4);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
  headers.copy(bytes, 12);
  body.copy(bytes, 12 + headers.length);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, -4)), bytes.length - 4);
  return bytes;
}

describe('a hostile answer', () => {
  const good = delta(0, { text: 'half' });
  const changed = (bytes: Buffer, change: (copy: Buffer) => void) => {
    const copy = Buffer.from(bytes);
    change(copy);
    return copy;
  };
  const headersOf = (frame: Buffer) => frame.subarray(12, 12 + frame.readUInt32BE(4));
  const prelude = (total: number) => {
    const bytes = Buffer.from(awsFrame({}, null).subarray(0, 12));
    bytes.writeUInt32BE(total, 0);
    bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
    return bytes;
  };

  test.each([
    ['a wrong checksum', changed(good, (copy) => copy.writeUInt8(0, copy.length - 1)), 'damaged'],
    ['a changed payload', changed(good, (copy) => copy.write('X', copy.length - 10)), 'damaged'],
    ['a changed length', changed(good, (copy) => copy.writeUInt32BE(20, 0)), 'damaged'],
    ['a frame of 4 GB', prelude(0xffff_ffff), 'far more than a reply can contain'],
    ['a frame shorter than its own frame', prelude(3), 'damaged'],
    [
      'a frame of 5 MB',
      awsEvent('contentBlockDelta', { x: 'x'.repeat(5_000_000) }),
      'far more than a reply can contain',
    ],
    ['JSON that is broken', frameOf(headersOf(good), '{"a":'), 'not a streamed message'],
    ['a header of an unknown type', frameOf(Buffer.from([1, 97, 42]), '{}'), 'damaged'],
    ['a header beyond its frame', frameOf(Buffer.from([200, 97]), '{}'), 'damaged'],
    [
      'too many headers',
      frameOf(Buffer.concat(Array.from({ length: 100 }, () => Buffer.from([1, 97, 0]))), '{}'),
      'damaged',
    ],
  ])('with %s fails in words', async (_what, bytes, words) => {
    server.answer(awsStream(START, good, bytes, end()));
    expect(await say()).toMatchObject({ kind: 'outage', failure: expect.stringContaining(words), end: undefined });
  });

  test('with headers and events of other kinds is read past them', async () => {
    const odd = awsFrame(
      {
        ':message-type': { type: 'string', value: 'event' },
        ':event-type': { type: 'string', value: 'somethingNew' },
        n: { type: 'integer', value: 1 },
        b: { type: 'boolean', value: true },
        u: { type: 'uuid', value: '01234567-89ab-cdef-0123-456789abcdef' },
        t: { type: 'timestamp', value: new Date() },
        x: { type: 'binary', value: Buffer.from('abc') },
      },
      {},
    );
    server.answer(awsStream(START, odd, delta(0, { text: 'x' }), awsEvent('another', 1), end()));
    expect(await say()).toMatchObject({ text: 'x', end: 'done' });
  });

  test('in server-sent events is not taken for frames', async () => {
    server.answer(stream('data: {}\n\n'));
    expect(await say()).toMatchObject({ kind: 'outage', failure: expect.stringContaining('where a stream') });
  });
});

describe('a failure', () => {
  test.each([
    [400, 'ValidationException', 'Malformed input request', 'rejected'],
    [400, 'ValidationException', 'Input is too long for requested model.', 'rejected'],
    [403, 'AccessDeniedException', "You don't have access to the model with the specified model ID.", 'rejected'],
    [403, 'AccessDeniedException', 'User is not authorized to perform: bedrock:InvokeModel', 'credentials'],
    [403, 'UnrecognizedClientException', 'The security token included in the request is invalid.', 'credentials'],
    [403, 'ExpiredTokenException', 'The security token included in the request is expired', 'credentials'],
    [404, 'ResourceNotFoundException', 'Could not resolve the foundation model', 'rejected'],
    [408, 'ModelTimeoutException', 'Model has timed out', 'outage'],
    [424, 'ModelErrorException', 'The model failed', 'outage'],
    [429, 'ThrottlingException', 'Too many requests', 'busy'],
    [500, 'InternalServerException', 'Internal', 'outage'],
    [503, 'ServiceUnavailableException', 'Try later', 'outage'],
  ])('with %d %s (%s) is of the kind %s', async (status, type, message, kind) => {
    server.answer(json(status, { message }, { 'x-amzn-errortype': `${type}:http://internal.amazon.com/` }));
    const said = await say();
    expect(said).toMatchObject({ kind });
    expect(said.failure).toContain(message.replace(/\.$/, ''));
  });

  test.each([
    ['throttlingException', 'busy'],
    ['modelStreamErrorException', 'outage'],
    ['internalServerException', 'outage'],
    ['serviceUnavailableException', 'outage'],
    ['validationException', 'rejected'],
  ])('that comes as %s in the middle is of the kind %s', async (type, kind) => {
    server.answer(awsStream(START, delta(0, { text: 'half' }), awsException(type, 'Some words')));
    const said = await say();
    expect(said).toMatchObject({ text: 'half', kind, end: undefined });
    expect(said.failure).toBe('Acme reported an error in its reply: Some words');
  });

  test('for what a model does not cache is answered without the marks', async () => {
    const words = 'You invoked an unsupported model or your request did not allow prompt caching.';
    server.answer(json(403, { message: words }), awsStream(START, delta(0, { text: 'x' }), end()));
    expect(await say()).toMatchObject({ text: 'x' });
    expect(JSON.stringify(server.requests[0]?.body)).toContain('cachePoint');
    expect(JSON.stringify(server.requests[1]?.body)).not.toContain('cachePoint');
  });
});

describe('a request', () => {
  const ok = awsStream(START, delta(0, { text: 'x' }), end());

  test('sends the key of Bedrock, and no header of another provider', async () => {
    server.answer(ok);
    await say();
    const { path, headers } = lastRequest();
    expect(path).toBe('/model/us.anthropic.claude-haiku-4-5-20251001-v1%3A0/converse-stream');
    expect(headers).toMatchObject({ authorization: `Bearer ${KEY}`, accept: 'application/vnd.amazon.eventstream' });
    expect(Object.keys(headers).filter((name) => name.startsWith('x-'))).toEqual([]);
  });

  test.each([MODEL, 'arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.claude-sonnet-5'])(
    'is signed as AWS would sign it (%s)',
    async (model) => {
      server.answer(ok);
      const said = await ask(httpAdapter(createBedrock(), server.requestStream, LIMITS), withKeys({ model }));
      expect(said.text).toBe('x');
      const { path, headers, body } = lastRequest();
      const { accessKeyId, secretAccessKey, sessionToken, region } = KEYS;
      const datetime = String(headers['x-amz-date']);
      const keys = { accessKeyId, secretAccessKey, sessionToken };
      const url = `${server.url}${path}`;
      const again = { ...keys, method: 'POST', url, body: JSON.stringify(body), region, service: 'bedrock', datetime };
      const signed = await new AwsV4Signer(again).sign();
      expect(headers.authorization).toBe(signed.headers.get('authorization'));
      expect(headers['x-amz-security-token']).toBe(sessionToken);
    },
  );

  test('is the one that the library of AWS sends', async () => {
    server.answer(ok);
    const messages: ModelMessage[] = [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'What is this?', images: [{ mediaType: 'image/png', data: 'AAAA' }] },
      {
        role: 'assistant',
        content: 'Hm',
        toolCalls: [{ id: 'c1', name: 'time_now', arguments: { zone: 'UTC' } }],
        state: { streamType: 'bedrock', data: { model: MODEL, pieces: [{ type: 'block', block: REASONING }] } },
      },
      { role: 'tool', callId: 'c1', name: 'time_now', content: '', isError: true },
      { role: 'user', content: 'And?' },
    ];
    await say({ messages, tools: [TIME_TOOL] });
    const ours = lastRequest();
    const client = new BedrockRuntimeClient({
      endpoint: server.url,
      region: 'eu-west-1',
      credentials: { accessKeyId: 'a', secretAccessKey: 's' },
      requestHandler: new NodeHttpHandler(),
    });
    const cachePoint = { cachePoint: { type: 'default' as const } };
    const called = { toolUseId: 'c1', name: 'time_now', input: { zone: 'UTC' } };
    await client.send(
      new ConverseStreamCommand({
        modelId: MODEL,
        system: [{ text: 'Be kind.' }, cachePoint],
        messages: [
          {
            role: 'user',
            content: [
              { image: { format: 'png', source: { bytes: Buffer.from('AAAA', 'base64') } } },
              { text: 'What is this?' },
            ],
          },
          { role: 'assistant', content: [REASONING, { text: 'Hm' }, { toolUse: called }] },
          {
            role: 'user',
            content: [
              { toolResult: { toolUseId: 'c1', content: [{ text: '(empty message)' }], status: 'error' } },
              { text: 'And?' },
              cachePoint,
            ],
          },
        ],
        toolConfig: {
          tools: [
            {
              toolSpec: {
                name: TIME_TOOL.name,
                description: TIME_TOOL.description,
                inputSchema: { json: JSON.parse(JSON.stringify(TIME_TOOL.parameters)) },
              },
            },
          ],
        },
        inferenceConfig: { maxTokens: 100, temperature: 0.5 },
      }),
    );
    client.destroy();
    expect(ours.path).toBe(lastRequest().path);
    expect(ours.body).toEqual(lastRequest().body);
  });
});

describe('a clock that is off', () => {
  const expired = (serverTime: string) =>
    json(
      403,
      { message: `Signature expired: 20260101T000000Z is now earlier than 20260101T001000Z (${serverTime} - 5 min.)` },
      { 'x-amzn-errortype': 'InvalidSignatureException' },
    );
  const ok = awsStream(START, delta(0, { text: 'x' }), end());
  const now = Date.parse('2026-01-01T00:00:00Z');

  test('is corrected by the time that AWS reports, for later requests too', async () => {
    const adapter = httpAdapter(
      createBedrock(() => now),
      server.requestStream,
      LIMITS,
    );
    server.answer(expired('20260101T001500Z'), ok);
    expect(await ask(adapter, withKeys())).toMatchObject({ text: 'x' });
    await ask(adapter, withKeys());
    expect(server.requests.map(({ headers }) => headers['x-amz-date'])).toEqual([
      '20260101T000000Z',
      '20260101T001500Z',
      '20260101T001500Z',
    ]);
  });

  test('is reported when that does not help, and the account stays as it is', async () => {
    const adapter = httpAdapter(
      createBedrock(() => now),
      server.requestStream,
      LIMITS,
    );
    server.answer(expired('20260101T001500Z'));
    const said = await ask(adapter, withKeys());
    expect(server.requests).toHaveLength(2);
    expect(said).toMatchObject({ kind: 'outage', failure: expect.stringContaining('clock') });
  });

  test('is not believed to be off by years', async () => {
    const adapter = httpAdapter(
      createBedrock(() => now),
      server.requestStream,
      LIMITS,
    );
    server.answer(expired('20360101T001500Z'));
    await ask(adapter, withKeys());
    expect(server.requests).toHaveLength(1);
  });
});

test('no failure contains a secret of AWS', async () => {
  const canonical = `does not match.\n\nThe Canonical String should have been\n'x-amz-security-token:${KEYS.sessionToken}\n'${KEYS.secretAccessKey}`;
  server.answer(json(403, { message: canonical }, { 'x-amzn-errortype': 'InvalidSignatureException' }));
  const said = await ask(httpAdapter(createBedrock(), server.requestStream, LIMITS), withKeys());
  expect(said.kind).toBe('credentials');
  expect(said.failure).not.toContain('IQoJ');
  expect(said.failure).not.toContain('wJalr');
});
