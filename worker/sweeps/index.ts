import type { MarketplaceIndex } from '../../domain/marketplace/index.ts';
import { purgeExpiredCredentials } from './auth.ts';
import { extractUnreadFiles, purgeUploads, removeStoredFiles } from './files.ts';
import { refreshMarketplaceIndexes } from './marketplace.ts';
import { purgeExpiredMcpSignIns } from './mcp-servers.ts';
import { countOrgUsage, purgeDeletedOrgs } from './orgs.ts';
import { enterNewMessages } from './search.ts';
import { purgeOldTurnEvents } from './stream.ts';
import type { Sweep } from './sweep.ts';
import { beginDueTasks } from './tasks.ts';
import { purgeOldToolTrials } from './tools.ts';
import { wakeDueTurns } from './turns.ts';

/** Sweeps that run one after the other, again and again. */
export interface SweepGroup {
  /** The pause before the first round, in milliseconds. */
  readonly firstAfterMs: number;
  /** The pause after each round, in milliseconds. */
  readonly everyMs: number;
  readonly sweeps: readonly Sweep[];
}

/** Returns all sweeps: one line for each sweep of a capability. Neither wakes, tasks nor the search wait for slow sweeps. */
export const sweepGroups = (indexes: readonly MarketplaceIndex[] = []): readonly SweepGroup[] => [
  { firstAfterMs: 0, everyMs: 1_000, sweeps: [wakeDueTurns()] },
  { firstAfterMs: 1_000, everyMs: 1_000, sweeps: [beginDueTasks] },
  { firstAfterMs: 2_000, everyMs: 2_000, sweeps: [enterNewMessages] },
  { firstAfterMs: 1_000, everyMs: 10_000, sweeps: [refreshMarketplaceIndexes(indexes)] },
  {
    firstAfterMs: 15_000,
    everyMs: 15_000,
    sweeps: [
      purgeOldTurnEvents,
      countOrgUsage,
      purgeExpiredCredentials,
      purgeExpiredMcpSignIns,
      purgeOldToolTrials,
      purgeDeletedOrgs,
      extractUnreadFiles,
      purgeUploads,
      removeStoredFiles,
    ],
  },
];
