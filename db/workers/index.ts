export { readLacking, reportWorker, type WorkerLacks } from './workers.ts';
