import type { MarketplaceIndex } from '../../domain/marketplace/index.ts';
import type { LocalCopies } from '../../activities/tools/index.ts';
import { followMarketplaceIndexes } from './marketplace.ts';
import { recoverDueWork } from '../recover-due-work.ts';
import type { Sweep } from './sweep.ts';
import { tidyCopies } from './workspaces.ts';
import { type FacilityReporter, reportFacilities } from './workers.ts';

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
  /** Notices when Temporal has lost its store; the worker has run it once. */
  readonly namespace?: Sweep;
  /** The indexes of the marketplace that the operator has added. */
  readonly marketplaceIndexes?: readonly MarketplaceIndex[];
  /** The copies of workspaces on this worker. */
  readonly copies?: Pick<LocalCopies, 'tidy'> | undefined;
  /** The worker that sweeps. */
  readonly worker?: FacilityReporter | undefined;
}

const recovery: Sweep = { name: 'recover due work', run: recoverDueWork };

/** Returns what each worker repeats: its own reports and copies, and the scans that find what was lost. */
export const sweepGroups = ({
  namespace,
  marketplaceIndexes = [],
  copies,
  worker,
}: SweepSettings = {}): readonly SweepGroup[] => [
  ...(worker === undefined ? [] : [{ firstAfterMs: 0, everyMs: 15_000, sweeps: [reportFacilities(worker)] }]),
  ...(copies === undefined ? [] : [{ firstAfterMs: 5_000, everyMs: 60_000, sweeps: [tidyCopies(copies)] }]),
  { firstAfterMs: 0, everyMs: 60_000, sweeps: [...(namespace === undefined ? [] : [namespace]), recovery] },
  { firstAfterMs: 1_000, everyMs: 60_000, sweeps: [followMarketplaceIndexes(marketplaceIndexes)] },
];
