export { createMetrics, type Metrics, serveMetrics } from './serve-metrics.ts';
export { canReachEngine } from './routes.ts';
export { WorkerWatch } from './worker-watch.ts';
