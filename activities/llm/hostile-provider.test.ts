import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { toItsEnd } from '../../test/support/to-its-end.ts';
import { MAX_ARGUMENT_CHARACTERS, MAX_REPLY_ARGUMENT_CHARACTERS } from '../../domain/tool-calls/tool-call.ts';
import {
  ask,
  buildRequest,
  LIMITS,
  startWireServer,
  stream,
  TIME_TOOL,
  type WireReply,
  type WireServer,
} from '../../test/support/wire-servers/index.ts';
import { anthropic } from './anthropic.ts';
import { EventParser, MAX_EVENT_CHARACTERS } from './transport/event-parser.ts';
import { gemini } from './gemini.ts';
import { openaiCompat } from './openai-compat/openai-compat.ts';
import { scrub } from './failures/provider-failure.ts';
import { ReportedError } from './failures/reported-error.ts';
import { retryAfterMs } from '../../domain/network/http-headers.ts';
import { httpAdapter } from './transport/http-adapter.ts';
import type { WireFormat } from './wire-format.ts';

const MEGABYTE = 1024 * 1024;

let server: WireServer;
beforeAll(async () => {
  server = await startWireServer();
});
afterAll(() => server.close());

async function hear(format: WireFormat, reply: WireReply) {
  server.answer(reply);
  return ask(httpAdapter(format, server.requestStream, LIMITS), buildRequest(server.url, { tools: [TIME_TOOL] }));
}

const wholeDocument =
  (text: string): WireReply =>
  (response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  };

const eventOf = (chunk: unknown) => `data: ${JSON.stringify(chunk)}\n\n`;
const delta = (content: unknown, finish: string | null = null) =>
  eventOf({ choices: [{ index: 0, delta: content, finish_reason: finish }] });
const END = `${delta({}, 'stop')}data: [DONE]\n\n`;

describe('an answer', () => {
  test.each([
    ['openai_compat', openaiCompat],
    ['anthropic', anthropic],
    ['gemini', gemini],
  ])('with an event that would be many objects is refused (%s)', async (_name, format) => {
    const lists = '[],'.repeat(MEGABYTE);
    const hostile = `data: {"choices":[{"delta":{"x":[${lists}[]]}}]}\n\n`;
    const said = await hear(format, stream(hostile.slice(0, 4 * MEGABYTE)));
    expect(said).toMatchObject({ kind: 'outage', text: '' });
  });

  test.each([
    ['of one line', `data: ${'x'.repeat(5 * MEGABYTE)}\n\n`],
    ['of many lines', `data: ${'x'.repeat(1_000)}\n`.repeat(5_000)],
  ])('with an event %s that is too long is refused', async (_what, text) => {
    const { failure, kind } = await hear(openaiCompat, stream(text));
    expect({ failure, kind }).toEqual({ failure: 'Acme sent far more than a reply can contain', kind: 'outage' });
  });

  test('in more events than any answer has is refused', async () => {
    const { failure } = await hear(openaiCompat, stream(delta({ content: 'a' }).repeat(260_000)));
    expect(failure).toBe('Acme sent far more than a reply can contain');
  });

  test('of one document that is too long is refused', async () => {
    const { failure } = await hear(openaiCompat, wholeDocument(`{"choices":"${'x'.repeat(5 * MEGABYTE)}"}`));
    expect(failure).toBe('Acme sent far more than a reply can contain');
  });

  test('of one document that would be many objects is refused', async () => {
    const { failure } = await hear(openaiCompat, wholeDocument(`{"choices":[${'[],'.repeat(MEGABYTE)}[]]}`));
    expect(failure).toContain('responded with JSON that is no chat completion');
  });

  test('that nests very deep is refused', async () => {
    const { kind } = await hear(openaiCompat, stream(`data: ${'['.repeat(MEGABYTE)}\n\n`));
    expect(kind).toBe('outage');
  });
});

describe('the event parser', () => {
  test('refuses before it buffers more than an event may have', () => {
    const parser = new EventParser();
    const chunk = 'x'.repeat(64 * 1024);
    let count = 0;
    expect(() => {
      for (;;) {
        parser.push(chunk);
        count += 1;
      }
    }).toThrow('far more');
    expect(count * chunk.length).toBeLessThanOrEqual(MAX_EVENT_CHARACTERS);
  });

  test('restarts the count with each event', () => {
    const parser = new EventParser();
    const half = 'x'.repeat(MAX_EVENT_CHARACTERS / 2);
    const events = Array.from({ length: 4 }, () => parser.push(`data: ${half}\n\n`)).flat();
    expect(events.map(({ data }) => data.length)).toEqual(events.map(() => half.length));
    expect(events).toHaveLength(4);
  });

  test('comes to the end of very many short chunks', async () => {
    const parser = new EventParser();
    const events = await toItsEnd(() => {
      for (let count = 0; count < MEGABYTE; count += 1) parser.push('x');
      for (let count = 0; count < MEGABYTE / 4; count += 1) parser.push('\ndata:\n:\n');
      return parser.end();
    });
    expect(events).toHaveLength(2);
  });
});

describe('calls', () => {
  const sized = (length: number) => JSON.stringify({ zone: 'x'.repeat(length - '{"zone":""}'.length) });

  test('contain a megabyte of arguments together at most; those beyond are marked as cut', async () => {
    const args = sized(MAX_ARGUMENT_CHARACTERS);
    const chunks = Array.from({ length: 6 }, (_, index) =>
      delta({ tool_calls: [{ index, id: `c${index}`, function: { name: 'time_now', arguments: args } }] }),
    );
    const { calls } = await hear(openaiCompat, stream(...chunks, END));
    expect(calls.map(({ isCut = false }) => isCut)).toEqual([false, false, false, false, true, true]);
    const total = calls.reduce((sum, { argumentsText }) => sum + argumentsText.length, 0);
    expect(total).toBe(MAX_REPLY_ARGUMENT_CHARACTERS);
  });

  test('keep no id and no name of any length', async () => {
    const long = 'x'.repeat(MEGABYTE);
    const { calls } = await hear(
      openaiCompat,
      stream(delta({ tool_calls: [{ index: 0, id: long, function: { name: long, arguments: '{}' } }] }), END),
    );
    expect(calls).toEqual([{ name: 'x'.repeat(256), argumentsText: '{}' }]);
  });
});

describe('what goes back with a reply', () => {
  const block = (index: number, type: string) => ({ type: 'content_block_start', index, content_block: { type } });
  const call = (index: number) => ({
    type: 'content_block_start',
    index,
    content_block: { type: 'tool_use', id: 'a', name: 'time_now', input: {} },
  });
  const END_OF_MESSAGE =
    eventOf({ type: 'message_delta', delta: { stop_reason: 'tool_use' } }) + eventOf({ type: 'message_stop' });

  test.each([
    [100_000, true],
    [600_000, false],
  ])('is kept when all of it together is short enough (two blocks of %d: %j)', async (characters, isKept) => {
    const thinking = [0, 1].flatMap((index) => [
      eventOf(block(index, 'thinking')),
      eventOf({ type: 'content_block_delta', index, delta: { thinking: 'x'.repeat(characters) } }),
    ]);
    const { calls, state } = await hear(anthropic, stream(...thinking, eventOf(call(2)), END_OF_MESSAGE));
    expect(calls).toHaveLength(1);
    expect(state !== undefined).toBe(isKept);
  });

  test.each([
    [1, true],
    [3, false],
  ])('is kept of %d signatures of 390,000 characters: %j', async (count, isKept) => {
    const part = { text: 'a', thoughtSignature: 'x'.repeat(390_000) };
    const chunks = Array.from({ length: count }, () => eventOf({ candidates: [{ content: { parts: [part] } }] }));
    const end = eventOf({ candidates: [{ content: { parts: [] }, finishReason: 'STOP' }] });
    const { text, state } = await hear(gemini, stream(...chunks, end));
    expect(text).toBe('a'.repeat(count));
    expect(state !== undefined).toBe(isKept);
  });

  test('is not kept when the extras of calls are too long together', async () => {
    const chunks = [0, 1].map((index) =>
      delta({
        tool_calls: [
          {
            index,
            id: `c${index}`,
            function: { name: 'time_now', arguments: '{}' },
            extra_content: { x: 'x'.repeat(600_000) },
          },
        ],
      }),
    );
    const { calls, state } = await hear(openaiCompat, stream(...chunks, END));
    expect(calls).toHaveLength(2);
    expect(state).toBeUndefined();
  });
});

describe('the words of a failure', () => {
  const LONG = 4 * MEGABYTE;
  const fill = (chunk: string) => chunk.repeat(Math.ceil(LONG / chunk.length));

  test.each(['sk-', 'sk-abcd*', 'AIza', 'bearer ', 'bearer', 'key_api-', '.', ' ', '<'])(
    'are made of a very long text of %j',
    async (chunk) => {
      const words = await toItsEnd(() => scrub(fill(chunk), 'sk-unit-0123456789'));
      expect(words.length).toBeLessThan(400);
    },
  );

  test('hide a secret that begins within what is read and continues beyond it', () => {
    const secret = 'hunter2-'.repeat(10);
    expect(scrub(`${' '.repeat(1_990)}${secret} and more`, secret)).toMatch(/^\[secret\][ a]*$/);
  });

  test.each([
    ['sk-ab12********wxyz', '[secret]'],
    ['sk-abcdefgh12345678****wxyz.', '[secret].'],
    ['api-docs', 'api-docs'],
    ['sk-sk-sk-sk-sk', '[secret]'],
  ])('of %j are %j', (said, words) => {
    expect(scrub(said, undefined)).toBe(words);
  });

  test('are bounded, and so are its codes, however large the error is', () => {
    const details = Array.from({ length: 10_000 }, () => ({ reason: 'x'.repeat(100), retryDelay: 'x' }));
    const error = new ReportedError({ error: { code: 'c'.repeat(LONG), status: ['400'], details, other: fill('x') } });
    expect(error.message.length).toBeLessThanOrEqual(2_000);
    expect(error.codes.length).toBeLessThan(30);
    expect(error.codes.join('').length).toBeLessThan(3_000);
  });

  test('in a stream are bounded, however long it is', async () => {
    const text = fill('sk-').slice(0, 3 * MEGABYTE);
    const { failure } = await hear(openaiCompat, stream(eventOf({ error: { message: text } })));
    expect(failure?.length).toBeLessThan(500);
  });

  test.each([fill('1'), `${fill(' ')}x`, `Mon, ${fill('1')}`])(
    'say nothing of when to come back (%#)',
    async (said) => {
      expect(await toItsEnd(() => retryAfterMs(undefined, said))).toBeUndefined();
      const headers = new Headers({ 'retry-after': said.slice(0, 16_000) });
      expect(await toItsEnd(() => retryAfterMs(headers, ''))).toBeUndefined();
    },
  );
});
