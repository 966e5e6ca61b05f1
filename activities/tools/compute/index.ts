export { compute } from './compute.ts';
export type { TimeArguments } from './job.ts';
export { isPlain, tellTime } from './tell-time.ts';
