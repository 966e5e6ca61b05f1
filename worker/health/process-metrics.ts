import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Runtime } from '@temporalio/worker';
import { createLoopDelays, type LoopDelays } from './loop-delays.ts';

/** How often the figures are renewed; Prometheus reads them every 15 seconds or less often. */
const EVERY_MS = 5_000;

interface Counted {
  /** Returns how many turns this process runs. */
  readonly runningTurns: () => number;
}

/**
 * Adds the figures of this process to the metrics that Temporal's SDK serves, under the names that the api has for
 * them.
 */
export function reportProcess({ runningTurns }: Counted): void {
  const meter = Runtime.instance().metricMeter;
  const loop = monitorEventLoopDelay();
  loop.enable();
  const endInterval = createLoopDelays(loop);
  let delays: LoopDelays = { p99: 0, max: 0 };
  const gauges = [
    ['everturn_running_turns', 'Turns that this worker runs', runningTurns],
    ['process_resident_memory_bytes', 'Resident memory size in bytes.', () => process.memoryUsage.rss()],
    [
      'nodejs_heap_size_used_bytes',
      'Process heap size used from Node.js in bytes.',
      () => process.memoryUsage().heapUsed,
    ],
    ['nodejs_eventloop_lag_p99_seconds', 'The 99th percentile of the recorded event loop delays.', () => delays.p99],
    ['nodejs_eventloop_lag_max_seconds', 'The longest event loop delay within the last minute.', () => delays.max],
  ] as const;
  const created = gauges.map(([name, help, read]) => ({ gauge: meter.createGauge(name, 'float', '', help), read }));
  const renew = () => {
    delays = endInterval();
    for (const { gauge, read } of created) gauge.set(read());
  };
  renew();
  setInterval(renew, EVERY_MS).unref();
}
