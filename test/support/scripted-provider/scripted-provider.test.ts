import Anthropic from '@anthropic-ai/sdk';
import {
  BedrockRuntimeClient,
  ConverseStreamCommand,
  type ConverseStreamOutput,
} from '@aws-sdk/client-bedrock-runtime';
import { GoogleGenAI } from '@google/genai';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import OpenAI from 'openai';
import { createAdapters } from '../../../activities/llm/adapters.ts';
import { ask, buildRequest, LIMITS, startWireServer, TIME_TOOL, type WireServer } from '../wire-servers/index.ts';
import { type ProviderScript, type ScriptedForm, scriptedForms, TOKENS } from './index.ts';

// A provider that only our own code understands would prove nothing: the vendors' libraries read it too.

/** What a reader made of a reply. */
interface Heard {
  readonly thought: string;
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly args: unknown }[];
  readonly cached: number | undefined;
  readonly output: number | undefined;
}

let server: WireServer;
beforeAll(async () => {
  server = await startWireServer();
});
afterAll(() => server.close());

const SCRIPT: ProviderScript = {
  thought: 'The user wants the time.',
  text: 'Einen Moment, 世界 🌍.',
  call: { name: TIME_TOOL.name, args: { zone: 'Europe/Berlin' } },
  end: 'done',
};

const readers: Readonly<Record<string, () => Promise<Heard>>> = {
  openai_compat: readWithOpenAi,
  anthropic: readWithAnthropic,
  gemini: readWithGoogle,
  bedrock: readWithAws,
};

async function readWithOpenAi(): Promise<Heard> {
  const client = new OpenAI({ baseURL: server.url, apiKey: 'k', maxRetries: 0 });
  const runner = client.chat.completions.stream({
    model: 'm',
    messages: [{ role: 'user', content: 'hello' }],
    stream_options: { include_usage: true },
  });
  const thoughts: string[] = [];
  for await (const { choices } of runner) thoughts.push(...choices.map(({ delta }) => thoughtOf(delta)));
  const { choices, usage } = await runner.finalChatCompletion();
  return {
    thought: thoughts.join(''),
    text: choices.map(({ message }) => message.content).join(''),
    calls: choices.flatMap(({ message }) => (message.tool_calls ?? []).flatMap(callOf)),
    cached: usage?.prompt_tokens_details?.cached_tokens,
    output: usage?.completion_tokens,
  };
}

// The field is not OpenAI's own, so its library has no type for it.
function thoughtOf(delta: object): string {
  return 'reasoning_content' in delta ? String(delta.reasoning_content) : '';
}

function callOf(call: OpenAI.ChatCompletionMessageToolCall): Heard['calls'] {
  if (call.type !== 'function') return [];
  return [{ name: call.function.name, args: JSON.parse(call.function.arguments) as unknown }];
}

async function readWithAnthropic(): Promise<Heard> {
  const client = new Anthropic({ baseURL: server.url, apiKey: 'k', maxRetries: 0 });
  const request = { model: 'm', max_tokens: 10, messages: [{ role: 'user' as const, content: 'hello' }] };
  const { content, usage } = await client.messages.stream(request).finalMessage();
  return {
    thought: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    calls: content.flatMap((block) => (block.type === 'tool_use' ? { name: block.name, args: block.input } : [])),
    cached: usage.cache_read_input_tokens ?? undefined,
    output: usage.output_tokens,
  };
}

async function readWithGoogle(): Promise<Heard> {
  const client = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: server.url } });
  const chunks = await client.models.generateContentStream({ model: 'm', contents: 'hello' });
  const parts = [];
  let usage;
  for await (const chunk of chunks) {
    parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
    usage = chunk.usageMetadata ?? usage;
  }
  return {
    thought: parts.map((part) => (part.thought === true ? part.text : '')).join(''),
    text: parts.map((part) => (part.thought === true ? '' : part.text)).join(''),
    calls: parts.flatMap(({ functionCall }) =>
      functionCall === undefined ? [] : { name: functionCall.name ?? '', args: functionCall.args },
    ),
    cached: usage?.cachedContentTokenCount,
    output: usage?.candidatesTokenCount,
  };
}

async function readWithAws(): Promise<Heard> {
  const client = new BedrockRuntimeClient({
    endpoint: server.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 's' },
    requestHandler: new NodeHttpHandler(),
    maxAttempts: 1,
  });
  const request = new ConverseStreamCommand({
    modelId: 'm',
    messages: [{ role: 'user', content: [{ text: 'hello' }] }],
  });
  const events: ConverseStreamOutput[] = [];
  for await (const event of (await client.send(request)).stream ?? []) events.push(event);
  client.destroy();
  const deltas = events.flatMap(({ contentBlockDelta }) => contentBlockDelta?.delta ?? []);
  const calls = events.flatMap(({ contentBlockStart }) => contentBlockStart?.start?.toolUse ?? []);
  const usage = events.flatMap(({ metadata }) => metadata?.usage ?? []).at(-1);
  const input = deltas.map(({ toolUse }) => toolUse?.input).join('');
  return {
    thought: deltas.map(({ reasoningContent }) => reasoningContent?.text).join(''),
    text: deltas.map(({ text }) => text).join(''),
    calls: calls.map(({ name = '' }) => ({ name, args: JSON.parse(input) as unknown })),
    cached: usage?.cacheReadInputTokens,
    output: usage?.outputTokens,
  };
}

describe.each(Object.keys(readers))('what a provider says in the form %s', (streamType) => {
  test("is the same to its vendor's library and to the adapter", async () => {
    server.answer((scriptedForms[streamType] as ScriptedForm).play(SCRIPT));
    const heard = await readers[streamType]?.();
    expect(heard).toEqual({
      thought: SCRIPT.thought,
      text: SCRIPT.text,
      calls: [SCRIPT.call],
      cached: TOKENS.cached,
      output: TOKENS.output,
    });
    const request = buildRequest(server.url);
    const find = createAdapters(server.requestStream, LIMITS, server);
    const said = await ask(find({ account: request.account, model: request.model, streamType }), request);
    expect(said.text).toBe(heard?.text);
    expect(said.calls.map(({ name, argumentsText }) => ({ name, args: JSON.parse(argumentsText) as unknown }))).toEqual(
      heard?.calls,
    );
    expect(said.usage).toMatchObject({ inputTokens: TOKENS.fresh + TOKENS.cached, outputTokens: heard?.output });
  });
});
