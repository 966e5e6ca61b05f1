export { readLacking, reportWorker } from './workers.ts';
