export { listTurns } from './list-turns.ts';
export { readCall } from './read-call.ts';
export { readTrace, type Trace } from './read-trace.ts';
