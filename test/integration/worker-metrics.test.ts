import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../support/free-port.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';

let instance: TestInstance;
beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => {
  await instance.close();
});

test('a worker serves the metrics of its engine and its process where the operator wants them', async () => {
  const address = `127.0.0.1:${await freePort()}`;
  await instance.addWorker({ WORKER_METRICS_ADDRESS: address });
  const text = await (await fetch(`http://${address}/metrics`)).text();
  for (const name of [
    'temporal_worker_task_slots_available',
    'temporal_request_latency_bucket',
    'everturn_running_turns',
    'process_resident_memory_bytes',
    'nodejs_heap_size_used_bytes',
    'nodejs_eventloop_lag_p99_seconds',
    'nodejs_eventloop_lag_max_seconds',
  ])
    expect(text).toMatch(new RegExp(String.raw`^${name}(?:\{[^}]*\})? \d`, 'm'));
  await expect(instance.addWorker({ WORKER_METRICS_ADDRESS: address })).rejects.toThrow(
    /^WORKER_METRICS_ADDRESS: .*in use/m,
  );
});

test('the api tells that it reaches the engine', async () => {
  const text = await (await fetch(`${instance.api.url}/metrics`)).text();
  expect(text).toContain('\neverturn_engine_reachable 1\n');
});
