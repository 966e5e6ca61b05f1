import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { startTracing } from '../../telemetry/start-tracing.ts';
import { createAgent } from '../support/factories.ts';
import { freePort } from '../support/free-port.ts';
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
let address: string;
let instance: OwnInstance;
let stopTracing: () => Promise<void>;
let chat: OpenChat;
beforeAll(async () => {
  collector = await OtlpReceiver.start();
  stopTracing = await startTracing('everturn-api', { ...SETTINGS, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  address = `127.0.0.1:${await freePort()}`;
  const worker = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, WORKER_METRICS_ADDRESS: address, LOG_LEVEL: 'warn' };
  instance = await startOwnInstance({ worker });
});
afterAll(async () => {
  await instance.close();
  await stopTracing();
  collector.close();
});
afterEach(() => chat.close());

/** What the worker serves as metrics. */
const metrics = async () => (await fetch(`http://${address}/metrics`)).text();

// The first turn of this worker: the counts are those of all that it has done.
test('a worker counts the turns, model calls, tokens and tool calls that it has done, and times them', async () => {
  chat = await OpenChat.create(instance, { agent: { tools: ['time_now'] } });
  const stream = await chat.post({ content: '[[tool time_now {}]] [[then]] [[say It is late.]]' });
  await stream.waitForEnd();
  const ended = 'everturn_turns_ended_total{status="completed"} 1';
  const job = 'everturn_job_done_timestamp_seconds{job="report of the worker"}';
  const text = await waitUntil('the turn and the job in the metrics', async () => {
    const served = await metrics();
    return served.includes(ended) && served.includes(job) ? served : undefined;
  });
  expect(text).toContain('everturn_model_calls_total{failure="",outcome="replied",provider="openai-compatible"} 2');
  expect(text).toMatch(/^everturn_model_tokens_total\{kind="input",provider="openai-compatible"\} [1-9]/m);
  expect(text).toContain('everturn_tool_calls_total{status="success"} 1');
  for (const name of ['everturn_turn_wait_seconds', 'everturn_first_token_seconds', 'everturn_tool_call_seconds'])
    expect(text).toMatch(new RegExp(String.raw`^${name}_count 1$`, 'm'));
  expect(text).toMatch(/^everturn_first_token_seconds_bucket\{le="0\.25"\} \d/m);
  expect(text).toMatch(/^everturn_model_first_token_seconds_count\{provider="openai-compatible"\} 2$/m);
});

test('a worker serves the metrics of its engine and its process where the operator wants them', async () => {
  const names = [
    'temporal_worker_task_slots_available',
    'temporal_request_latency_bucket',
    'everturn_running_turns',
    'process_resident_memory_bytes',
    'nodejs_heap_size_used_bytes',
    'nodejs_eventloop_lag_p99_seconds',
    'nodejs_eventloop_lag_max_seconds',
    'everturn_build_info',
    'everturn_database_connections',
    'everturn_sandbox_commands',
  ];
  // Those of the engine's client come with what it does first.
  await waitUntil('all metrics', async () => {
    const text = await metrics();
    const isServed = (name: string) => new RegExp(String.raw`^${name}(?:\{[^}]*\})? \d`, 'm').test(text);
    return names.every(isServed) || undefined;
  });
  await expect(instance.addWorker({ WORKER_METRICS_ADDRESS: address })).rejects.toThrow(
    /"msg":"WORKER_METRICS_ADDRESS: .*in use/,
  );
});

test('the api tells that it reaches the engine', async () => {
  const text = await (await fetch(`${instance.api.url}/metrics`)).text();
  expect(text).toContain('\neverturn_engine_reachable 1\n');
});

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
