import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { LocalCopies } from '../activities/tools/workspace/travel/local-copies.ts';
import type { Database } from '../db/core/database.ts';
import { addIndexes, findOverdueIndexes, purgeIndexes } from '../db/marketplace/marketplace-indexes.ts';
import { agreeOnWorkflows, reportWorker, type WorkerReport } from '../db/workers.ts';
import type { MarketplaceIndex } from '../domain/marketplace.ts';
import { meter } from '../domain/telemetry/meter.ts';
import { recoverDueWork } from './recover-due-work.ts';

export interface JobDeps {
  readonly database: Database;
  readonly client: Client;
}

/** A job that each worker repeats. The next run continues what one leaves undone. */
export interface PeriodicJob {
  readonly name: string;
  /** @param stop aborts when the worker stops. */
  run(deps: JobDeps, stop?: AbortSignal): Promise<void>;
}

/** Jobs that run one after the other, again and again. */
interface JobGroup {
  /** The pause before the first round, in milliseconds. */
  readonly firstAfterMs: number;
  /** The pause after each round, in milliseconds. */
  readonly everyMs: number;
  readonly jobs: readonly PeriodicJob[];
}

interface PeriodicJobsDeps extends JobDeps {
  readonly log: Logger;
  /** Notices when Temporal has lost its store; the worker has run it once. */
  readonly namespace: PeriodicJob;
  /** The indexes of the marketplace that the operator has added. */
  readonly marketplaceIndexes: readonly MarketplaceIndex[];
  /** The copies of workspaces on this worker. */
  readonly copies: Pick<LocalCopies, 'tidy'>;
  /** Called for each job that has succeeded. */
  readonly onDone: (job: string) => void;
  readonly worker: {
    readonly id: string;
    /** Returns the worker's current report. */
    readonly report: () => Promise<WorkerReport>;
    /** The fingerprint of its workflow code. */
    readonly workflows: string;
    /** Called with whether all workers run that code. */
    readonly onAgreement: (workersAgree: boolean) => void;
  };
}

/**
 * Repeats what each worker does for itself (its reports, its copies), and the scans that find what was lost, until
 * `stop` aborts.
 */
export async function runPeriodicJobs(deps: PeriodicJobsDeps, stop: AbortSignal): Promise<void> {
  await Promise.all(groupsOf(deps).map(async (group) => repeat(deps, group, stop)));
}

function groupsOf({ namespace, marketplaceIndexes, copies, worker }: PeriodicJobsDeps): readonly JobGroup[] {
  // The api says by the reports which tools can be used.
  const report: PeriodicJob = {
    name: 'report of the worker',
    run: async ({ database }) => {
      await reportWorker(database, worker.id, await worker.report());
      worker.onAgreement(await agreeOnWorkflows(database, worker.id, worker.workflows));
    },
  };
  const tidy: PeriodicJob = { name: 'tidy workspaces', run: async () => copies.tidy() };
  const recover: PeriodicJob = { name: 'recover due work', run: recoverDueWork };
  return [
    { firstAfterMs: 0, everyMs: 15_000, jobs: [report] },
    { firstAfterMs: 5_000, everyMs: 60_000, jobs: [tidy] },
    { firstAfterMs: 0, everyMs: 60_000, jobs: [namespace, followMarketplaceIndexes(marketplaceIndexes), recover] },
  ];
}

/** Keeps the rows of the operator's indexes in step with the settings, and has new and overdue ones fetched. */
export function followMarketplaceIndexes(indexes: readonly MarketplaceIndex[]): PeriodicJob {
  const sources = indexes.map(({ source }) => source);
  return {
    name: 'follow marketplace indexes',
    run: async ({ database }) => {
      await addIndexes(database, sources);
      await database.follow([{ dueWork: await findOverdueIndexes(database, sources) }]);
      await purgeIndexes(database, sources);
    },
  };
}

async function repeat(deps: PeriodicJobsDeps, group: JobGroup, stop: AbortSignal): Promise<void> {
  const pause = async (ms: number) => sleep(ms, undefined, { signal: stop }).catch(() => undefined);
  await pause(group.firstAfterMs);
  while (!stop.aborted) {
    // Each by itself, so that a failure of one does not keep the others from running.
    for (const each of group.jobs) {
      await each.run(deps, stop).then(
        () => deps.onDone(each.name),
        (error: unknown) => {
          meter.count('everturn_job_failures_total', { job: each.name });
          deps.log.warn({ err: error, job: each.name }, 'a periodic job failed; its next run follows');
        },
      );
    }
    await pause(group.everyMs);
  }
}
