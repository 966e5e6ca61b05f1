import { writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Runtime } from '@temporalio/worker';
import { DATABASE_CONNECTIONS, type PoolState } from '../db/core/database.ts';
import packageJson from '../package.json' with { type: 'json' };

const TOUCH_MS = 5_000;

/**
 * Writes a file now and every few seconds while the event loop runs, for observers outside the process. Throws at once
 * when it cannot.
 */
export function keepTouching(file: string): void {
  writeFileSync(file, '');
  setInterval(() => void writeFile(file, '').catch(() => undefined), TOUCH_MS).unref();
}

/** How often the figures are renewed; Prometheus reads them every 15 seconds or less often. */
const EVERY_MS = 5_000;

interface Counted {
  /** Returns how many turns this process runs. */
  readonly runningTurns: () => number;
  /** Returns how many commands run in the sandbox, and how many wait for a slot there. */
  readonly sandboxCommands: () => Readonly<Record<'running' | 'waiting', number>>;
  /** Returns the connections of each pool to the database, by state. */
  readonly databaseConnections: () => readonly PoolState[];
  /** Returns when each periodic job last succeeded, in milliseconds since 1970. */
  readonly jobsDone: () => ReadonlyMap<string, number>;
}

/**
 * Adds the figures of this process to the metrics that Temporal's SDK serves, under the names that the api has for
 * them.
 */
export function reportProcess({ runningTurns, ...counted }: Counted): void {
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
  const commands = meter.createGauge('everturn_sandbox_commands', 'int', '', 'Commands in the sandbox, by state');
  const connections = meter.createGauge(DATABASE_CONNECTIONS.name, 'int', '', DATABASE_CONNECTIONS.help);
  const done = meter.createGauge(
    'everturn_job_done_timestamp_seconds',
    'float',
    '',
    'When each periodic job last succeeded',
  );
  meter
    .createGauge('everturn_build_info', 'int', '', 'Always 1, with the version')
    .set(1, { version: packageJson.version });
  const renew = () => {
    delays = endInterval();
    for (const { gauge, read } of created) gauge.set(read());
    for (const [state, count] of Object.entries(counted.sandboxCommands())) commands.set(count, { state });
    for (const { count, ...labels } of counted.databaseConnections()) connections.set(count, labels);
    for (const [job, at] of counted.jobsDone()) done.set(at / 1000, { job });
  };
  renew();
  setInterval(renew, EVERY_MS).unref();
}

const NANOSECONDS = 1e9;
const INTERVALS_KEPT = 12;

/** How late the event loop has been, in seconds. */
interface LoopDelays {
  /** Of the last interval. */
  readonly p99: number;
  /** Of the last minute. */
  readonly max: number;
}

/**
 * Returns a function that ends an interval of five seconds and returns its delays. The longest is kept for a minute: a
 * stall is one sample of hundreds, and metrics may be read less often than once an interval.
 */
export function createLoopDelays(
  loop: Pick<ReturnType<typeof monitorEventLoopDelay>, 'percentile' | 'max' | 'reset'>,
): () => LoopDelays {
  const longest: number[] = [];
  return () => {
    longest.push(loop.max);
    if (longest.length > INTERVALS_KEPT) longest.shift();
    const delays = { p99: loop.percentile(99) / NANOSECONDS, max: Math.max(...longest) / NANOSECONDS };
    loop.reset();
    return delays;
  };
}
