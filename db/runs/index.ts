export { listAllRuns, RUN_KINDS } from './list-all-runs.ts';
