import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../support/free-port.ts';
import { type OwnInstance, startOwnInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

let address: string;
let instance: OwnInstance;
beforeAll(async () => {
  address = `127.0.0.1:${await freePort()}`;
  instance = await startOwnInstance({ worker: { WORKER_METRICS_ADDRESS: address } });
});
afterAll(async () => {
  await instance.close();
});

const metrics = async () => (await fetch(`http://${address}/metrics`)).text();

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

test('a worker counts the turns, model calls, tokens and tool calls that it has done, and times them', async () => {
  const chat = await OpenChat.create(instance, { agent: { tools: ['time_now'] } });
  const stream = await chat.post({ content: '[[tool time_now {}]] [[then]] [[say It is late.]]' });
  await stream.waitForEnd();
  chat.close();
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

test('the api tells that it reaches the engine', async () => {
  const text = await (await fetch(`${instance.api.url}/metrics`)).text();
  expect(text).toContain('\neverturn_engine_reachable 1\n');
});
