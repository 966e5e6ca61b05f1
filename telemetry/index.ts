export { createLog, endOnError } from './log.ts';
export { Outage } from './outage.ts';
export { startTracing } from './start-tracing.ts';
