import { join } from 'node:path';
import { cancellationSignal } from '@temporalio/activity';
import type { Logger } from 'pino';
import { forgetSeenRuns } from '../db/agent-workflows/runs/run-queue.ts';
import { purgeOldRuns } from '../db/agent-workflows/runs/purge-runs.ts';
import { purgeCredentials } from '../db/auth.ts';
import { countUsage } from '../db/chats/usage.ts';
import { purgeDeletedChats } from '../db/chats/delete-chat.ts';
import type { Database } from '../db/core/database.ts';
import { findRemovedFiles, forgetRemovedFile, postponeRemoval } from '../db/files/files.ts';
import { purgeAbandonedUploads } from '../db/files/uploads.ts';
import { purgeRevocations } from '../db/integrations/revocations.ts';
import { purgeSignIns as purgeIntegrationSignIns } from '../db/integrations/sign-ins.ts';
import { purgeChannelEvents } from '../db/channels/events.ts';
import { purgeDeliveries as purgeHostDeliveries } from '../db/issue-sync/deliveries.ts';
import { purgeGone, purgeSyncs } from '../db/issue-sync/sync-progress.ts';
import { purgeQueries } from '../db/knowledge-bases/search/queries.ts';
import { purgeMcpSignIns } from '../db/mcp-servers/sign-ins.ts';
import { findDeletedOrgs } from '../db/membership-changes/delete-org.ts';
import { purgeProjectLogs } from '../db/project-logs.ts';
import { purgeSignIns as purgeProviderSignIns } from '../db/providers/sign-ins.ts';
import { purgeTurnEvents } from '../db/stream/read-turn-events.ts';
import { completePlansOfCompleted, freeDependentsOfCompleted } from '../db/tasks/due-tasks.ts';
import { purgeTestRuns } from '../db/tool-test-runs.ts';
import { purgeDeliveries as purgeWebhookDeliveries } from '../db/webhooks/deliveries.ts';
import { purgePushConfigs } from '../db/webhooks/push-configs.ts';
import { countWorkUsage } from '../db/work-usage.ts';
import { purgeUnusedContents } from '../db/workspaces/contents.ts';
import { settleAll } from '../domain/core/promises.ts';
import type { FileStores } from '../files/file-stores.ts';
import type { HousekeepingInput } from '../workflows/housekeeping/contract.ts';
import { removeTree } from './sandbox/channels.ts';
import { compareSchedules, type ComparisonDeps } from './schedules.ts';
import { removeOldScratch } from './tools/workspace/with-uploads.ts';

export interface HousekeepingDeps extends JobDeps {
  readonly log: Logger;
}

/** Makes the activity that does the housekeeping of an interval. */
export function createRunHousekeeping(deps: HousekeepingDeps) {
  const jobs = housekeepingJobs(deps);
  return async function runHousekeeping({ interval }: HousekeepingInput): Promise<void> {
    await runJobs(jobs[interval], deps.log, cancellationSignal());
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

export interface JobDeps extends ComparisonDeps {
  readonly files: FileStores;
  /** Folder of the chats' workspaces. */
  readonly workspaceRoot: string;
  /** The days for which deleted chats can be restored; 0 for ever. */
  readonly deletedChatDays: number;
  /** The days for which entries of project logs are kept; 0 for ever. */
  readonly projectLogDays: number;
  /** Makes sure that the remains of a deleted organization are removed. */
  readonly startOrgPurge: (orgId: string) => Promise<void>;
  /** Restarts workflows whose tasks keep failing. */
  readonly resetFailing: () => Promise<void>;
}

/** Jobs by their names in the log. Each is harmless to repeat, and bounded: the next run does the rest. */
type Jobs = Readonly<Record<string, () => Promise<unknown>>>;

/** Batches that one run takes at most. */
const MAX_BATCHES = 1_000;
const MAX_ORGS = 50;

/** No call that is tried takes as long. */
const OLD_SCRATCH_MS = 15 * 60_000;

/** Returns the jobs of every minute, every hour and every night, in order. Each is bounded by `MAX_BATCHES`. */
export function housekeepingJobs(deps: JobDeps): Readonly<Record<HousekeepingInput['interval'], Jobs>> {
  const { database, files, workspaceRoot } = deps;
  return {
    minute: {
      'remove events of ended turns': async () => purgeTurnEvents(database),
      'complete plans whose parts are completed': async () => completePlansOfCompleted(database),
      'free tasks that wait for completed ones': async () => freeDependentsOfCompleted(database),
      'count what organizations hold': async () => countUsage(database),
      'count work of organizations': async () => inBatches(async () => countWorkUsage(database)),
      'purge deleted organizations': async () => {
        const orgIds = await findDeletedOrgs(database, MAX_ORGS);
        await settleAll(orgIds.map(async (orgId) => deps.startOrgPurge(orgId)));
      },
      'remove deleted files': async () => inBatches(async () => removeStoredFiles(database, files)),
      'remove old runs': async () => inBatches(async () => purgeOldRuns(database)),
      'remove old deliveries of webhooks': async () => inBatches(async () => purgeWebhookDeliveries(database)),
      'remove old entries of project logs': async () => purgeProjectLogs(database, { days: deps.projectLogDays }),
    },
    hour: {
      'remove deleted chats': async () => purgeChats(deps),
      'remove unused contents of workspaces': async () => purgeUnusedContents(database),
      'remove abandoned uploads': async () => purgeAbandonedUploads(database),
      'remove expired credentials': async () => purgeCredentials(database),
      'remove test runs of tools': async () => purgeTestRuns(database),
      'remove scratch workspaces': async () => removeOldScratch(workspaceRoot, OLD_SCRATCH_MS),
      'remove queries of knowledge bases': async () => purgeQueries(database),
      'remove sign-ins with integrations': async () => purgeIntegrationSignIns(database),
      'remove ended grants of integrations': async () => purgeRevocations(database),
      'remove sign-ins at MCP servers': async () => purgeMcpSignIns(database),
      'remove sign-ins at providers': async () => purgeProviderSignIns(database),
      'remove deliveries of code hosts': async () => purgeHostDeliveries(database),
      'remove messages that channels have received': async () => purgeChannelEvents(database),
      'remove push notification configs of ended tasks': async () => purgePushConfigs(database),
      'remove old syncs with code hosts': async () => purgeSyncs(database),
      'forget what code hosts have deleted': async () => purgeGone(database),
      'reset workflows whose tasks fail': deps.resetFailing,
    },
    night: {
      'compare schedules with those of Temporal': async () => compareSchedules(deps),
      // Somebody may have ended them in Temporal: the recovery scan wakes all.
      'forget what workflows of runs have seen': async () => forgetSeenRuns(database),
    },
  };
}

/** Removes chats that were deleted long ago, and then their workspaces. */
async function purgeChats({ database, deletedChatDays: days, workspaceRoot }: JobDeps): Promise<void> {
  if (days === 0) return;
  await inBatches(async () => {
    const { chats, mayBeMore } = await purgeDeletedChats(database, { days });
    await settleAll(chats.map(async ({ orgId, chatId }) => removeTree(join(workspaceRoot, orgId, chatId))));
    return mayBeMore;
  });
}

/** Processes batches until one says that none may be left. */
async function inBatches(takeBatch: () => Promise<boolean>): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) if (!(await takeBatch())) return;
}

/** Files that one call takes at most. */
export const MAX_FILES = 50;

/**
 * Removes the bytes of deleted files, where they are kept outside of the database. Those that fail are tried again
 * after others. Takes a bounded number of files, and returns whether more may be waiting.
 */
export async function removeStoredFiles(database: Database, stores: FileStores): Promise<boolean> {
  const removed = await findRemovedFiles(database, stores.names, MAX_FILES);
  const failed: string[] = [];
  const removals = removed.map(async (file) => {
    await stores
      .of(file)
      .remove(file)
      .catch((error: unknown) => {
        failed.push(file.fileId);
        throw error;
      });
    await forgetRemovedFile(database, file.fileId);
  });
  try {
    await settleAll(removals);
  } finally {
    if (failed.length > 0) await postponeRemoval(database, failed);
  }
  return removed.length === MAX_FILES;
}
