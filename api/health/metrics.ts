import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** The process's own metrics, for Prometheus. */
export interface Metrics {
  readonly registry: Registry;
  /** Counts a finished request. `route` is the declared path, so that ids do not create a series each. */
  observe(request: { method: string; route: string; status: number; seconds: number }): void;
}

export function createMetrics(openSockets: () => number): Metrics {
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
  return {
    registry,
    observe: ({ method, route, status, seconds }) =>
      requests.observe({ method, route, status: String(status) }, seconds),
  };
}
