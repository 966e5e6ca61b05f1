import { findOverdueRuns, type OverdueRun } from '../db/agent-workflows/runs/run-queue.ts';
import { startQueuedRuns } from '../db/agent-workflows/runs/end-run.ts';
import { findOverdueChannels } from '../db/channels/events.ts';
import type { Database } from '../db/core/database.ts';
import { findUnreadFiles } from '../db/files/texts.ts';
import { findOverdueRevocations } from '../db/integrations/revocations.ts';
import { findOverduePushes } from '../db/issue-pushes.ts';
import { findOverdueSyncs } from '../db/issue-sync/project-syncs.ts';
import { findOverdueEmbeddings } from '../db/knowledge-bases/embedding.ts';
import { findUnreadDocuments } from '../db/knowledge-bases/documents.ts';
import { findOverdueTrees } from '../db/repo-trees.ts';
import {
  findOverdueSlots,
  findUnappliedSchedules,
  type OverdueSlot,
  scheduleRows,
} from '../db/schedules/firing/applied.ts';
import { findUnknownMessages } from '../db/search/enter-messages.ts';
import { findOverdueTasks } from '../db/tasks/due-tasks.ts';
import { findOverdueWebhooks } from '../db/webhooks/deliveries.ts';
import { meter } from '../domain/telemetry/meter.ts';
import { isTemporalAway } from '../workflows/core/client.ts';
import { type DueWorkDeps, startDueWork, wakeDueWork } from '../workflows/due-work/client.ts';
import { startScheduleSlot } from '../workflows/schedules/client.ts';
import type { JobDeps } from './periodic-jobs.ts';

type RecoveryDeps = Pick<JobDeps, 'database'> & DueWorkDeps;

/** One thing that is overdue. */
interface Overdue {
  /** Identifies it each time that it is found. */
  readonly key: string;
  recover(): Promise<void>;
}

/** Finds a batch of the overdue work of one kind, by a partial index that is empty while Temporal does the work. */
type Find = (deps: RecoveryDeps) => Promise<readonly Overdue[]>;

const KINDS: readonly Find[] = [
  kind('run', findOverdueRuns, recoverRun),
  kind('slot', findOverdueSlots, recoverSlot),
  kind('schedule', findUnappliedSchedules, wakeDueWork),
  // Some workflows wait for a time in their rows, and have to read them again; others are only started.
  kind('task', findOverdueTasks, wakeDueWork),
  kind('webhook', findOverdueWebhooks, wakeDueWork),
  kind('channel', findOverdueChannels, wakeDueWork),
  kind('file', findUnreadFiles, startDueWork),
  kind('document', findUnreadDocuments, startDueWork),
  kind('embeddings', findOverdueEmbeddings, wakeDueWork),
  kind('issue_sync', findOverdueSyncs, startDueWork),
  kind('issue_push', findOverduePushes, startDueWork),
  kind('repo_tree', findOverdueTrees, wakeDueWork),
  kind('grant', findOverdueRevocations, startDueWork),
  kind('search_words', findUnknownMessages, wakeDueWork),
];

/** Calls to Temporal that are made at once. */
const AT_ONCE = 50;
/** Failures that one scan keeps, of the thousands that there may be. */
const MAX_KEPT_FAILURES = 10;
/** Batches of each kind that one scan takes. */
const MAX_BATCHES = 4;

/**
 * Starts or wakes overdue work: a process has died between storing it and waking its workflow, Temporal was away, or
 * has lost the workflow or the Temporal Schedule. Processes a bounded batch of each kind in turn, and then the next
 * ones, each item once; normally there is none. Harmless to repeat, in several processes at once. What fails delays no
 * other work; throws at the end, with the first failures, and at once when Temporal does not respond.
 */
export async function recoverDueWork({ database, client }: JobDeps, stop?: AbortSignal): Promise<void> {
  const deps = { database, client, schedules: scheduleRows(database) };
  const failures: Error[] = [];
  let failed = 0;
  const tried = new Set<string>();
  let isAway = false;
  const settle = async <T>(work: readonly Promise<T>[]): Promise<readonly T[]> => {
    const outcomes = await Promise.allSettled(work);
    const errors = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason as Error] : []));
    failed += errors.length;
    failures.push(...errors.slice(0, MAX_KEPT_FAILURES - failures.length));
    isAway ||= errors.some(isTemporalAway);
    return outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  };
  const isOver = () => isAway || stop?.aborted === true;
  for (let batch = 0; batch < MAX_BATCHES && !isOver(); batch += 1) {
    const overdue = byTurns(await settle(KINDS.map(async (find) => find(deps)))).filter(({ key }) => !tried.has(key));
    if (overdue.length === 0) break;
    for (let at = 0; at < overdue.length && !isOver(); at += AT_ONCE) {
      const some = overdue.slice(at, at + AT_ONCE);
      for (const { key } of some) tried.add(key);
      await settle(some.map(async (each) => each.recover()));
    }
  }
  const [first] = failures;
  if (first !== undefined)
    throw new AggregateError(failures, `overdue work was not recovered, ${failed} times: ${first.message}`);
}

function kind<Row>(
  name: string,
  find: (database: Database) => Promise<readonly Row[]>,
  recover: (deps: RecoveryDeps, row: Row) => Promise<void>,
): Find {
  return async (deps) =>
    (await find(deps.database)).map((row) => ({
      key: JSON.stringify(row),
      recover: async () => {
        await recover(deps, row);
        meter.count('everturn_repairs_total', { kind: name });
      },
    }));
}

// A run that waits in a queue has no workflow: whoever takes it from there starts that.
async function recoverRun(deps: RecoveryDeps, run: OverdueRun): Promise<void> {
  const { orgId, runId, summary, isQueued } = run;
  if (isQueued) await startQueuedRuns(deps.database, orgId, run);
  else await wakeDueWork(deps, { kind: 'run', orgId, runId, summary });
}

// Temporal may have lost the Schedule with the workflow of the slot. One that somebody has paused there fires no slot,
// so its row has to hear of that first.
async function recoverSlot(deps: RecoveryDeps, { slot, ...schedule }: OverdueSlot): Promise<void> {
  await wakeDueWork(deps, { kind: 'schedule', ...schedule });
  await startScheduleSlot(deps.client, schedule, slot);
}

/** Returns the first of each list, then the second of each, and so on. */
function byTurns<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}
