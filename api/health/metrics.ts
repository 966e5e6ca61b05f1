import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** The process's own metrics, for Prometheus. */
export interface Metrics {
  readonly registry: Registry;
  /** Counts a finished request. `route` is the declared path, so that ids do not create a series each. */
  observe(request: { method: string; route: string; status: number; seconds: number }): void;
}

/** What the metrics show of things that others count. */
interface Counted {
  readonly openSockets: () => number;
  /** Returns whether the workers can confine commands; undefined when that is not known. */
  readonly hasSandbox: () => Promise<boolean | undefined>;
  /** Returns how many workers run; undefined when that is not known. */
  readonly countWorkers: () => Promise<number | undefined>;
}

export function createMetrics({ openSockets, hasSandbox, countWorkers }: Counted): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'everturn_http_request_seconds',
    help: 'Time from the request to the head of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const sockets: Gauge = new Gauge({
    name: 'everturn_open_sockets',
    help: 'Open WebSocket connections',
    collect: () => {
      sockets.set(openSockets());
    },
    registers: [],
  });
  registry.registerMetric(sockets);
  const sandbox: Gauge = new Gauge({
    name: 'everturn_sandbox_available',
    help: 'Whether the workers can confine commands in the sandbox: 1 or 0',
    collect: async () => {
      const isThere = await hasSandbox();
      if (isThere === undefined) sandbox.remove();
      else sandbox.set(isThere ? 1 : 0);
    },
    registers: [],
  });
  registry.registerMetric(sandbox);
  const workers: Gauge = new Gauge({
    name: 'everturn_workers',
    help: 'Workers seen within the last minute: without any, messages are accepted and wait',
    collect: async () => {
      const count = await countWorkers();
      if (count === undefined) workers.remove();
      else workers.set(count);
    },
    registers: [],
  });
  registry.registerMetric(workers);
  return {
    registry,
    observe: ({ method, route, status, seconds }) =>
      requests.observe({ method, route, status: String(status) }, seconds),
  };
}
