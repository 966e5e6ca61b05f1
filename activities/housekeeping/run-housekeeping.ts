import { cancellationSignal } from '@temporalio/activity';
import type { Logger } from 'pino';
import type { HousekeepingInput } from '../../workflows/housekeeping/contract.ts';
import { withHeartbeat } from '../core/with-heartbeat.ts';
import { housekeepingJobs, type JobDeps, type Jobs } from './jobs.ts';

export interface HousekeepingDeps extends JobDeps {
  readonly log: Logger;
}

/** Makes the activity that does the housekeeping of an interval. */
export function createRunHousekeeping(deps: HousekeepingDeps) {
  const jobs = housekeepingJobs(deps);
  return async function runHousekeeping({ interval }: HousekeepingInput): Promise<void> {
    await withHeartbeat(async () => runJobs(jobs[interval], deps.log, cancellationSignal()));
  };
}

/**
 * Runs one job after the other, until the signal aborts: the workflow has ended, and another may run. A job that fails
 * is logged, and run again with the next housekeeping.
 */
export async function runJobs(jobs: Jobs, log: Logger, ended: AbortSignal): Promise<void> {
  for (const [job, run] of Object.entries(jobs)) {
    if (ended.aborted) return;
    await run().catch((error: unknown) => log.warn({ err: error, job }, 'a job of the housekeeping failed'));
  }
}
