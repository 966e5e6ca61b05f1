export {
  countWorkers,
  leastWorkspaceFreeBytes,
  readLacking,
  reportWorker,
  type WorkerLacks,
  type WorkerReport,
} from './workers.ts';
