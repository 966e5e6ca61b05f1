export { createMetrics, type Metrics } from './metrics.ts';
export { canReachEngine } from './readiness.ts';
export { serveMetrics } from './serve-metrics.ts';
export { WorkerWatch } from './worker-watch.ts';
