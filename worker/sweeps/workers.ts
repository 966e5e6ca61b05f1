import { reportWorker, type WorkerLacks } from '../../db/workers/index.ts';
import type { Sweep } from './sweep.ts';

/** A worker, and what it lacks at the moment. */
export interface FacilityReporter {
  readonly id: string;
  readonly lacking: () => Promise<WorkerLacks>;
}

/** Tells again and again that a worker is there, and what it lacks: the api says by that which tools can be used. */
export function reportFacilities(worker: FacilityReporter): Sweep {
  return {
    name: 'report what the worker lacks',
    run: async ({ database }) => reportWorker(database, { id: worker.id, lacks: await worker.lacking() }),
  };
}
