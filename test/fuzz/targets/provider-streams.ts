import fc from 'fast-check';
import { expect } from '@jest/globals';
import { anthropic } from '../../../activities/llm/anthropic.ts';
import { CliReply } from '../../../activities/llm/cli/cli-reply.ts';
import { claudeCode } from '../../../activities/llm/cli/programs/claude-code.ts';
import type { CliProgram } from '../../../activities/llm/cli/programs/cli-program.ts';
import { codex } from '../../../activities/llm/cli/programs/codex.ts';
import { geminiCli } from '../../../activities/llm/cli/programs/gemini-cli.ts';
import { ProviderFailure } from '../../../activities/llm/failures/provider-failure.ts';
import { ReportedError } from '../../../activities/llm/failures/reported-error.ts';
import { createBedrock } from '../../../activities/llm/bedrock.ts';
import { gemini } from '../../../activities/llm/gemini.ts';
import { openaiCompat } from '../../../activities/llm/openai-compat/openai-compat.ts';
import { httpAdapter } from '../../../activities/llm/transport/http-adapter.ts';
import type { WireFormat } from '../../../activities/llm/wire-format.ts';
import { MAX_REPLY_ARGUMENT_CHARACTERS } from '../../../domain/tool-calls/tool-call.ts';
import { ask, awsEvent, buildRequest, LIMITS, TIME_TOOL } from '../../support/wire-servers/index.ts';
import { inChunks, nearly, nearlyJson } from '../inputs.ts';
import { type FuzzTarget, target } from '../target.ts';

const CALL = { id: 'call_1', name: 'time_now', arguments: '{"zone":"Europe/Berlin"}' };

const OPENAI = [
  {
    choices: [
      {
        index: 0,
        delta: { role: 'assistant', content: 'Grüße, 世界 🌍', reasoning_content: 'hm' },
        finish_reason: null,
      },
    ],
  },
  {
    choices: [
      {
        index: 0,
        delta: {
          tool_calls: [
            { index: 0, id: CALL.id, type: 'function', function: { name: CALL.name, arguments: CALL.arguments } },
          ],
        },
      },
    ],
  },
  { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  { choices: [], usage: { prompt_tokens: 9, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 1 } } },
];
const ANTHROPIC = [
  { type: 'message_start', message: { id: 'm', usage: { input_tokens: 9, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Grüße, 世界 🌍' } },
  { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 'c', name: CALL.name, input: {} } },
  { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: CALL.arguments } },
  { type: 'content_block_stop', index: 2 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 3 } },
  { type: 'message_stop' },
];
const GEMINI = [
  { candidates: [{ content: { role: 'model', parts: [{ text: 'Grüße, 世界 🌍' }, { text: 'hm', thought: true }] } }] },
  {
    candidates: [
      {
        content: { parts: [{ functionCall: { name: CALL.name, args: { zone: 'x' } }, thoughtSignature: 's' }] },
        finishReason: 'STOP',
      },
    ],
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 3, thoughtsTokenCount: 1 },
  },
];
const BEDROCK = [
  ['messageStart', { role: 'assistant' }],
  ['contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Grüße, 世界 🌍' } }],
  ['contentBlockStart', { contentBlockIndex: 1, start: { toolUse: { toolUseId: 'c', name: CALL.name } } }],
  ['contentBlockDelta', { contentBlockIndex: 1, delta: { toolUse: { input: CALL.arguments } } }],
  ['contentBlockStop', { contentBlockIndex: 1 }],
  ['messageStop', { stopReason: 'tool_use' }],
  ['metadata', { usage: { inputTokens: 9, outputTokens: 3 } }],
] as const;

const eventOf = (chunk: unknown) => `data: ${JSON.stringify(chunk)}\n\n`;
const sse = (chunks: readonly unknown[]) => Buffer.from([...chunks.map(eventOf), 'data: [DONE]\n\n'].join(''));
/** A stream whose chunks are nearly those of a real one. */
const nearlySse = (chunks: readonly unknown[]) =>
  nearlyJson(chunks).map((changed) => sse(Array.isArray(changed) ? changed : [changed]));
const frames = (events: readonly (readonly [string, unknown])[]) =>
  Buffer.concat(events.map(([type, payload]) => awsEvent(type, payload)));
const nearlyFrames = fc
  .tuple(...BEDROCK.map(([type, payload]) => nearlyJson(payload).map((changed) => [type, changed ?? null] as const)))
  .map(frames);

/** A model's answer is read to its end or fails as the provider's, whatever it holds; what it gives is bounded. */
const reads = (format: WireFormat, mediaType: string) => async (chunks: readonly Buffer[]) => {
  const requestStream = async () => ({
    status: 200,
    headers: { get: (name: string) => (name === 'content-type' ? mediaType : null) },
    body: bodyOf(chunks),
  });
  const said = await ask(
    httpAdapter(format, requestStream, LIMITS),
    buildRequest('https://a.example', { tools: [TIME_TOOL] }),
  );
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  expect(said.isWhole).toBe(true);
  expect(said.text.length).toBeLessThanOrEqual(bytes);
  const named = said.calls.reduce((sum, { argumentsText }) => sum + argumentsText.length, 0);
  expect(named).toBeLessThanOrEqual(MAX_REPLY_ARGUMENT_CHARACTERS + said.calls.length);
};

function bodyOf(chunks: readonly Buffer[]) {
  return {
    async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, undefined, undefined> {
      yield* chunks;
      return undefined;
    },
    cancel: async () => undefined,
  };
}

const CLI_LINES: readonly (readonly [CliProgram, readonly unknown[]])[] = [
  [
    claudeCode,
    [
      ...ANTHROPIC.map((event) => ({ type: 'stream_event', event, parent_tool_use_id: null })),
      { type: 'result', is_error: false, result: 'Hi', stop_reason: 'end_turn', usage: { input_tokens: 9 } },
    ],
  ],
  [
    codex,
    [
      { type: 'thread.started', thread_id: 't' },
      { type: 'item.completed', item: { type: 'agent_message', text: 'Grüße 🌍' } },
      { type: 'turn.completed', usage: { input_tokens: 9, cached_input_tokens: 1, output_tokens: 3 } },
    ],
  ],
  [
    geminiCli,
    [
      { type: 'message', role: 'assistant', content: 'Grüße 🌍', delta: true },
      { type: 'error', severity: 'warning', message: 'slow' },
      { type: 'result', status: 'success', stats: { input_tokens: 9, output_tokens: 3 } },
    ],
  ],
];

/** A program's reply is read to its end, or fails as the program's, whatever its lines hold. */
const readsLines = (program: CliProgram) => (lines: unknown) => {
  const reply = new CliReply(program, {});
  const said: string[] = [];
  try {
    for (const line of Array.isArray(lines) ? lines : [lines])
      for (const event of reply.read(JSON.stringify(line) ?? '')) if (event.type === 'text') said.push(event.text);
    for (const event of reply.end('')) if (event.type === 'text') said.push(event.text);
  } catch (error) {
    const explained = reply.explain(error);
    if (!(explained instanceof ProviderFailure || explained instanceof ReportedError)) throw error;
  }
  expect(said.every((text) => text.isWellFormed())).toBe(true);
};

const STREAM = 'text/event-stream';
const formats: readonly [string, WireFormat, readonly unknown[]][] = [
  ['openai_compat', openaiCompat, OPENAI],
  ['anthropic', anthropic, ANTHROPIC],
  ['gemini', gemini, GEMINI],
];

export const providerStreams: readonly FuzzTarget[] = [
  ...formats.map(([name, format, chunks]) => {
    const streams = fc.oneof(nearly(sse(chunks)), nearlySse(chunks));
    return target(`streams of ${name}`, 60, inChunks(streams), reads(format, STREAM));
  }),
  ...formats.map(([name, format, chunks]) => {
    const documents = fc.oneof(
      nearly(JSON.stringify(chunks[0]), JSON.stringify(chunks)),
      nearlyJson(chunks).map((value) => Buffer.from(JSON.stringify(value) ?? '')),
    );
    return target(`documents of ${name}`, 40, inChunks(documents), reads(format, 'application/json'));
  }),
  ...CLI_LINES.map(([program, lines]) =>
    target(`lines of ${program.name}`, 60, nearlyJson(lines), readsLines(program)),
  ),
  target(
    'documents of bedrock',
    30,
    inChunks(nearlyJson(BEDROCK).map((value) => Buffer.from(JSON.stringify(value) ?? ''))),
    reads(createBedrock(), 'application/json'),
  ),
  target(
    'streams of bedrock',
    60,
    inChunks(fc.oneof(nearly(frames(BEDROCK)), nearlyFrames)),
    reads(createBedrock(), 'application/vnd.amazon.eventstream'),
  ),
];
