export { listTurns, readCall, readTrace, type Trace } from './read-trace.ts';
