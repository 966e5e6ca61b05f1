import type { Random } from '../../test/support/random.ts';
import { between } from '../random.ts';

/** The kinds of faults, and their numbers in a deck. */
const DECK = {
  'kill worker': 6,
  'kill spare worker': 3,
  'kill both workers': 2,
  'kill api': 4,
  'kill Temporal': 3,
  'kill PostgreSQL': 4,
  'pause worker': 4,
  'pause spare worker': 2,
  'pause api': 2,
  'pause Temporal': 2,
  'pause PostgreSQL': 2,
  'pause model': 2,
  'end worker': 3,
  'end api': 1,
  'end api in a reconnect storm': 2,
  'drop clients': 3,
  'cut database connections': 4,
  'kill everything': 1,
} as const;

export type FaultKind = keyof typeof DECK;

/** A fault, and the pauses around it. */
export interface PlannedFault {
  readonly index: number;
  readonly kind: FaultKind;
  /** From the moment at which turns are under way. */
  readonly beforeMs: number;
  /** How long a part is paused. */
  readonly lengthMs: number;
  /** From the recovery of what was hit. */
  readonly afterMs: number;
  /** The share of connections that are cut. */
  readonly share: number;
}

/**
 * Returns all faults of a run, in their order: decks that are shuffled one after the other, so that every kind gets its
 * share.
 */
export function planFaults(random: Random, count: number, longestPauseMs: number): PlannedFault[] {
  const deck = (Object.entries(DECK) as [FaultKind, number][]).flatMap(([kind, times]) =>
    Array<FaultKind>(times).fill(kind),
  );
  const kinds: FaultKind[] = [];
  while (kinds.length < count) kinds.push(...random.shuffle(deck));
  return kinds.slice(0, count).map((kind, index) => ({
    index,
    kind,
    beforeMs: between(random, 100, 2_000),
    lengthMs: between(random, 1_000, longestPauseMs),
    afterMs: between(random, 200, 1_500),
    share: random.chance(0.3) ? 1 : (1 + random.below(9)) / 10,
  }));
}
