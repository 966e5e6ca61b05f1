export { countWorkers, readLacking, reportWorker, type WorkerLacks } from './workers.ts';
