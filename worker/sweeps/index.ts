import type { MarketplaceIndex } from '../../domain/marketplace/index.ts';
import { advanceDueRuns } from './runs/agent-workflows.ts';
import { purgeRuns } from './purges/agent-workflows.ts';
import { purgeExpiredCredentials } from './purges/auth.ts';
import { purgeChats } from './purges/chats.ts';
import type { LocalCopies } from '../../activities/tools/index.ts';
import { type OrgLimits, parseOrgLimits } from '../../domain/orgs/index.ts';
import { purgeUploads, removeStoredFiles } from './files.ts';
import { purgeOldQueries } from './purges/knowledge-bases.ts';
import { followMarketplaceIndexes } from './marketplace.ts';
import { purgeEndedGrants, purgeExpiredSignIns } from './purges/sign-ins/integrations.ts';
import { purgeGoneIssues, purgeHostDeliveries, purgeOldSyncs } from './purges/issue-sync.ts';
import { purgeProviderSignIns } from './purges/sign-ins/providers.ts';
import { purgeExpiredMcpSignIns } from './purges/sign-ins/mcp-servers.ts';
import { countOrgUsage, purgeDeletedOrgs } from './orgs.ts';
import { wakeOverdueWork } from './overdue-work.ts';
import { purgeOldTurnEvents } from './purges/stream.ts';
import { purgeOldProjectLogs } from './purges/project-logs.ts';
import { fireDueSchedules } from './runs/schedules.ts';
import type { Sweep } from './sweep.ts';
import { purgeContents, tidyCopies } from './purges/workspaces.ts';
import { purgeWebhookDeliveries } from './purges/webhooks.ts';
import { beginDueTasks, freeWaitingTasks } from './tasks.ts';
import { purgeOldToolTrials } from './purges/tools.ts';
import { type FacilityReporter, reportFacilities } from './workers.ts';
import { expireDueApprovals, wakeDueTurns } from './turns.ts';

/** Sweeps that run one after the other, again and again. */
export interface SweepGroup {
  /** The pause before the first round, in milliseconds. */
  readonly firstAfterMs: number;
  /** The pause after each round, in milliseconds. */
  readonly everyMs: number;
  readonly sweeps: readonly Sweep[];
}

/** What the operator's settings say about sweeps. */
export interface SweepSettings {
  /** The indexes of the marketplace that the operator has added. */
  readonly marketplaceIndexes?: readonly MarketplaceIndex[];
  /** The days for which entries of project logs are kept; 0 for ever. */
  readonly projectLogDays?: number;
  /** The days for which deleted chats can be restored; 0 for ever. */
  readonly deletedChatDays?: number;
  /** Folder of the chats' workspaces. */
  readonly workspaceRoot?: string;
  /** The copies of workspaces on this worker. */
  readonly copies?: Pick<LocalCopies, 'tidy'> | undefined;
  /** What an organization may hold. */
  readonly orgLimits?: OrgLimits;
  /** The worker that sweeps. */
  readonly worker?: FacilityReporter | undefined;
}

/**
 * Returns all sweeps: one line for each sweep of a capability. None of wakes, tasks, runs, schedules and the search
 * waits for slow sweeps.
 */
export const sweepGroups = ({
  marketplaceIndexes = [],
  projectLogDays = 365,
  deletedChatDays = 30,
  workspaceRoot,
  copies,
  orgLimits = parseOrgLimits(''),
  worker,
}: SweepSettings = {}): readonly SweepGroup[] => [
  { firstAfterMs: 0, everyMs: 1_000, sweeps: [wakeDueTurns()] },
  ...(worker === undefined ? [] : [{ firstAfterMs: 0, everyMs: 15_000, sweeps: [reportFacilities(worker)] }]),
  { firstAfterMs: 1_000, everyMs: 1_000, sweeps: [beginDueTasks(orgLimits), expireDueApprovals] },
  { firstAfterMs: 5_000, everyMs: 15_000, sweeps: [freeWaitingTasks()] },
  { firstAfterMs: 1_000, everyMs: 1_000, sweeps: [advanceDueRuns] },
  { firstAfterMs: 0, everyMs: 1_000, sweeps: [fireDueSchedules(orgLimits)] },
  { firstAfterMs: 15_000, everyMs: 15_000, sweeps: [purgeRuns] },
  { firstAfterMs: 60_000, everyMs: 60_000, sweeps: [purgeChats({ days: deletedChatDays, workspaceRoot })] },
  {
    firstAfterMs: 5_000,
    everyMs: 60_000,
    sweeps: [...(copies === undefined ? [] : [tidyCopies(copies)]), purgeContents],
  },
  { firstAfterMs: 1_000, everyMs: 60_000, sweeps: [wakeOverdueWork, followMarketplaceIndexes(marketplaceIndexes)] },
  {
    firstAfterMs: 15_000,
    everyMs: 15_000,
    sweeps: [
      purgeOldTurnEvents,
      countOrgUsage,
      purgeExpiredCredentials,
      purgeExpiredMcpSignIns,
      purgeProviderSignIns,
      purgeExpiredSignIns,
      purgeEndedGrants,
      purgeOldToolTrials(workspaceRoot),
      purgeOldQueries,
      purgeOldProjectLogs(projectLogDays),
      purgeDeletedOrgs,
      purgeUploads,
      removeStoredFiles,
      purgeHostDeliveries,
      purgeOldSyncs,
      purgeGoneIssues,
      purgeWebhookDeliveries,
    ],
  },
];
