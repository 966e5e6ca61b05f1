import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { startTracing } from '../../telemetry/start-tracing.ts';
import { createAgent } from '../support/factories.ts';
import { OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.ts';
import { type OwnInstance, startOwnInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

const SETTINGS = {
  OTEL_EXPORTER_OTLP_HEADERS: { authorization: 'Bearer of-the-collector' },
  OTEL_TRACES_SAMPLER_ARG: 1,
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: false,
};
const STREAM = 'POST /api/chats/{chat_id}/stream';

let collector: OtlpReceiver;
let instance: OwnInstance;
let stopTracing: () => Promise<void>;
let chat: OpenChat;
beforeAll(async () => {
  collector = await OtlpReceiver.start();
  stopTracing = await startTracing('everturn-api', { ...SETTINGS, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  instance = await startOwnInstance({ worker: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, LOG_LEVEL: 'warn' } });
});
afterAll(async () => {
  await instance.close();
  await stopTracing();
  collector.close();
});
afterEach(() => chat.close());

/**
 * Waits until the chat's turn is traced, with spans of these names below it, and returns the span above it. The spans
 * of a worker come a second after they have ended, and that of a turn ends before the one of its last step.
 */
async function rootOf(chatId: string, name: string, below: readonly string[]): Promise<ReceivedSpan> {
  const turn = await waitUntil('the span of the turn', () =>
    collector.spans.find(
      (span) => span.name.startsWith('invoke_agent') && span.attributes['gen_ai.conversation.id'] === chatId,
    ),
  );
  const spans = () => collector.spans.filter(({ traceId }) => traceId === turn.traceId);
  const countOf = (wanted: string, names: readonly string[]) => names.filter((each) => each === wanted).length;
  await waitUntil('the spans below it', () => {
    const names = spans().map((span) => span.name);
    return below.every((wanted) => countOf(wanted, names) >= countOf(wanted, below)) || undefined;
  });
  return waitUntil('the span above it', () => spans().find((span) => span.name === name));
}

test('a request, its turn, the calls of the model and of tools are one trace, without what was said', async () => {
  const tools = ['time_now', 'http_request'];
  chat = await OpenChat.create(instance, { agent: { name: 'Scribe', tools, temperature: 0.5, max_tokens: 900 } });
  const request = JSON.stringify({ method: 'GET', url: `${instance.api.url}/healthz?q=of-the-argument` });
  const content = `[[tool time_now {}]] [[tool http_request ${request}]] [[then]] [[say All is well.]]`;
  const stream = await chat.post({ content });
  await stream.waitForEnd();
  const steps = ['step 0', 'step 1', 'chat scripted-1', 'chat scripted-1'];
  const root = await rootOf(chat.id, STREAM, [...steps, ...tools.map((tool) => `execute_tool ${tool}`)]);
  const [tree] = collector.treeOf(root.traceId);
  expect(tree?.[0]).toBe(STREAM);
  expect(tree?.[1]).toHaveLength(1);
  const [turn] = tree?.[1] ?? [];
  expect(turn?.[0]).toBe('invoke_agent Scribe');
  expect(turn?.[1].filter(([name]) => name.startsWith('step'))).toEqual([
    ['step 0', [['chat scripted-1', []]]],
    ['step 1', [['chat scripted-1', []]]],
  ]);
  expect(turn?.[1]).toContainEqual(['execute_tool time_now', []]);
  expect(turn?.[1]).toContainEqual(['execute_tool http_request', []]);

  const spans = collector.spans.filter(({ traceId }) => traceId === root.traceId);
  const named = (name: string) => spans.find((span) => span.name === name);
  expect(root).toMatchObject({ kind: 2, service: 'everturn-api', attributes: { 'http.response.status_code': 200 } });
  expect(named('chat scripted-1')).toMatchObject({
    kind: 3,
    service: 'everturn-worker',
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai-compatible',
      'gen_ai.request.model': 'scripted-1',
      'gen_ai.request.temperature': 0.5,
      'gen_ai.request.max_tokens': 900,
      'gen_ai.usage.input_tokens': expect.any(Number),
      'gen_ai.usage.output_tokens': expect.any(Number),
      'gen_ai.response.finish_reasons': [expect.any(String)],
    },
  });
  expect(named('execute_tool http_request')?.attributes).toMatchObject({
    'gen_ai.tool.name': 'http_request',
    'temporal.activity.type': 'runTool',
    'temporal.workflow.id': expect.stringMatching(new RegExp(`^chat/.*/${chat.id}$`)),
  });
  expect(named('invoke_agent Scribe')?.attributes).toMatchObject({ 'everturn.turn.status': 'completed' });
  expect(spans.filter(({ startTimeUnixNano, endTimeUnixNano }) => endTimeUnixNano < startTimeUnixNano)).toEqual([]);

  const said = ['of-the-argument', 'All is well.', 'sk-test-0123456789abcdef', chat.user.accessToken];
  expect(said.filter((text) => collector.received.includes(text))).toEqual([]);
});

test('a message over a socket and what its sub-agents do are one trace', async () => {
  chat = await OpenChat.create(instance, { agent: { name: 'Lead', tools: ['agent_spawn'] } });
  await createAgent(chat.user.client, { name: 'Helper' });
  const socket = await chat.connect();
  const spawn = JSON.stringify({ agent: 'Helper', task: '[[say found it]]' });
  socket.send({ type: 'message', content: `[[tool agent_spawn ${spawn}]] [[then]] [[say Done.]]` });
  await socket.waitForEnd();
  const chats = ['chat scripted-1', 'chat scripted-1', 'chat scripted-1'];
  const below = ['step 0', 'step 1', 'invoke_agent Helper', 'step 0', ...chats];
  const { traceId } = await rootOf(chat.id, 'WebSocket message', below);
  const [lead] = collector.treeOf(traceId)[0]?.[1] ?? [];
  expect(lead?.[0]).toBe('invoke_agent Lead');
  expect(lead?.[1].find(([name]) => name === 'invoke_agent Helper')).toEqual([
    'invoke_agent Helper',
    [['step 0', [['chat scripted-1', []]]]],
  ]);
});

test('a model that fails is a failed span with the kind of its failure', async () => {
  chat = await OpenChat.create(instance, { agent: { name: 'Unlucky' } });
  const stream = await chat.post({ content: '[[status 401]] a question' });
  await stream.waitForEnd();
  const { traceId } = await rootOf(chat.id, STREAM, ['step 0', 'chat scripted-1']);
  const failed = collector.spans.filter((span) => span.traceId === traceId && span.status.code === 2);
  expect(failed.map(({ name, attributes }) => `${name}: ${String(attributes['error.type'])}`).toSorted()).toEqual([
    'chat scripted-1: credentials',
    'invoke_agent Unlucky: turn_failed',
  ]);
});
