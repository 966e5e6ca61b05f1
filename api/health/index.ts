export { createMetrics, type Metrics } from './metrics.ts';
export { healthRoutes } from './routes.ts';
export { serveMetrics } from './serve-metrics.ts';
