import { join } from 'node:path';
import { forgetSeenRuns, purgeOldRuns } from '../../db/agent-workflows/index.ts';
import { purgeCredentials } from '../../db/auth/index.ts';
import { countUsage, purgeDeletedChats } from '../../db/chats/index.ts';
import { purgeAbandonedUploads } from '../../db/files/index.ts';
import { purgeRevocations, purgeSignIns as purgeIntegrationSignIns } from '../../db/integrations/index.ts';
import { purgeDeliveries as purgeHostDeliveries, purgeGone, purgeSyncs } from '../../db/issue-sync/index.ts';
import { purgeQueries } from '../../db/knowledge-bases/index.ts';
import { purgeMcpSignIns } from '../../db/mcp-servers/index.ts';
import { findDeletedOrgs } from '../../db/membership-changes/index.ts';
import { purgeProjectLogs } from '../../db/project-logs/index.ts';
import { purgeSignIns as purgeProviderSignIns } from '../../db/providers/index.ts';
import { purgeTurnEvents } from '../../db/stream/index.ts';
import { completePlansOfCompleted, freeDependentsOfCompleted } from '../../db/tasks/index.ts';
import { purgeToolTrials } from '../../db/tools/index.ts';
import { purgeDeliveries as purgeWebhookDeliveries } from '../../db/webhooks/index.ts';
import { countWorkUsage } from '../../db/work-usage/index.ts';
import { purgeUnusedContents } from '../../db/workspaces/index.ts';
import { settleAll } from '../../domain/core/settle-all.ts';
import type { FileStores } from '../../files/index.ts';
import type { HousekeepingInput } from '../../workflows/housekeeping/contract.ts';
import { compareSchedules, type ComparisonDeps } from '../schedules/index.ts';
import { removeTree } from '../sandbox/index.ts';
import { removeOldScratch } from '../tools/index.ts';
import { removeStoredFiles } from './remove-stored-files.ts';

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
  /** Has workflows begin anew whose tasks keep failing. */
  readonly resetFailing: () => Promise<void>;
}

/** Jobs by their names in the log. Each is harmless to repeat, and bounded: the next run does the rest. */
export type Jobs = Readonly<Record<string, () => Promise<unknown>>>;

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
      'remove trials of tools': async () => purgeToolTrials(database),
      'remove scratch workspaces': async () => removeOldScratch(workspaceRoot, OLD_SCRATCH_MS),
      'remove queries of knowledge bases': async () => purgeQueries(database),
      'remove sign-ins with integrations': async () => purgeIntegrationSignIns(database),
      'remove ended grants of integrations': async () => purgeRevocations(database),
      'remove sign-ins at MCP servers': async () => purgeMcpSignIns(database),
      'remove sign-ins at providers': async () => purgeProviderSignIns(database),
      'remove deliveries of code hosts': async () => purgeHostDeliveries(database),
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

/** Takes batch after batch, until one says that none may be left. */
async function inBatches(takeBatch: () => Promise<boolean>): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) if (!(await takeBatch())) return;
}
