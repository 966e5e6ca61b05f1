export { createLog } from './log.ts';
export { startTracing } from './start-tracing.ts';
