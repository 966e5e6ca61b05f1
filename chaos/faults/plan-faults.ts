import type { Random } from '../../test/support/random.ts';
import type { SupervisedParts } from '../installation/supervised-parts.ts';
import { between } from '../random.ts';

/** The kinds of faults that strike whatever is under way, and their numbers in a deck. */
const BLIND = {
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

/** The kinds that make Temporal forget, which are dealt only where a run asks for them. */
const FORGETFUL = ['lose Temporal store', 'delete system Schedule'] as const;

/** The kinds that are aimed at one moment in the life of a turn, which each brings about by itself. */
const AIMED = {
  'lose notifications': 4,
  'kill api before notification': 4,
  'kill spare worker before engagement': 4,
  'kill spare worker before adoption': 4,
  'pause spare worker past its leases': 3,
  'keep Temporal away': 1,
} as const;

/** The kinds that strike machines and the network between them. */
export const MACHINE_FAULTS = [
  'lose machine of api',
  'lose machine of worker',
  'lose machine of Temporal',
  'lose machine of history',
  'lose machine of PostgreSQL',
  'lose machine of files',
  'lose load balancer',
  'cut load balancer off from api',
  'cut api off from PostgreSQL',
  'cut api off from Temporal',
  'cut worker off from PostgreSQL',
  'cut worker off from Temporal',
  'cut worker off from model',
  'cut worker off from files',
  'cut Temporal off from history',
  'cut Temporal off from PostgreSQL',
  'cut PostgreSQL off from replica',
  'slow network',
  'lossy network',
  'full disk of worker',
  'full disk of PostgreSQL',
  'wrong clock of worker',
  'wrong clock of api',
  'fail over PostgreSQL',
] as const;

export type MachineFault = (typeof MACHINE_FAULTS)[number];
export type BlindFault = keyof typeof BLIND | (typeof FORGETFUL)[number];
export type AimedFault = keyof typeof AIMED;
export type FaultKind = BlindFault | AimedFault | MachineFault;

/** All kinds that strike whatever is under way. */
export const BLIND_FAULTS = [...Object.keys(BLIND), ...FORGETFUL] as BlindFault[];

/** All kinds that are aimed at one moment. */
export const AIMED_FAULTS = Object.keys(AIMED) as AimedFault[];

/** All kinds that strike the parts of one machine. */
export const PART_FAULTS: readonly FaultKind[] = [...BLIND_FAULTS, ...AIMED_FAULTS];

/** All kinds. */
export const FAULT_KINDS: readonly FaultKind[] = [...PART_FAULTS, ...MACHINE_FAULTS];

/** Returns whether a kind is aimed at one moment. */
export function isAimed(kind: FaultKind): kind is AimedFault {
  return kind in AIMED;
}

/** Returns whether a kind strikes the parts of one machine, whatever is under way. */
export function isBlind(kind: FaultKind): kind is BlindFault {
  return BLIND_FAULTS.some((blind) => blind === kind);
}

/** Returns whether a kind strikes machines or the network between them. */
export function isMachineFault(kind: FaultKind): kind is MachineFault {
  return MACHINE_FAULTS.some((fault) => fault === kind);
}

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

interface Wanted {
  readonly faults: number;
  /** The longest that a part stands still, in milliseconds. */
  readonly longestPauseMs: number;
  /** The only kinds to deal, each as often as the others; all by default, in the numbers of the deck. */
  readonly kinds?: readonly FaultKind[] | undefined;
  /** Whether Temporal's store is lost in the middle, and a system Schedule after three quarters. */
  readonly losesStore?: boolean;
}

/**
 * Returns all faults of a run, in their order: decks that are shuffled one after the other, so that every kind gets its
 * share.
 */
export function planFaults(random: Random, { faults, longestPauseMs, kinds, losesStore }: Wanted): PlannedFault[] {
  const deck = kinds ?? fullDeck();
  const dealt: FaultKind[] = [];
  while (dealt.length < faults) dealt.push(...random.shuffle(deck));
  dealt.splice(faults);
  if (losesStore === true)
    for (const [at, kind] of FORGETFUL.entries()) dealt[Math.floor(((at + 2) * faults) / 4)] = kind;
  return dealt.map((kind, index) => ({
    index,
    kind,
    beforeMs: between(random, 100, 2_000),
    lengthMs: between(random, 1_000, longestPauseMs),
    afterMs: between(random, 200, 1_500),
    share: random.chance(0.3) ? 1 : (1 + random.below(9)) / 10,
  }));
}

function fullDeck(): FaultKind[] {
  const counts = Object.entries({ ...BLIND, ...AIMED }) as [FaultKind, number][];
  return counts.flatMap(([kind, times]) => Array<FaultKind>(times).fill(kind));
}

/** Clients whose connections can be lost. */
export interface Droppable {
  drop(): void;
}

/** What a fault meets beside the parts. */
export interface Surroundings {
  readonly clients: readonly Droppable[];
  /** How long Temporal is kept away, in milliseconds. */
  readonly temporalAwayMs: number;
  /** Lets users send the messages that belong to this fault. */
  letIn(): void;
}

/** What a fault is injected into, where one machine has all parts. */
export interface Scene extends Surroundings {
  readonly installation: SupervisedParts;
}

/** What was seen of an aimed fault: whether it struck in the moment that it was meant for, and in words what it met. */
export interface Sighting {
  readonly isHit: boolean;
  readonly seen: string;
}

/** Injects a fault that is aimed at one moment; resolves when what it hit is up again. */
export type AimedInjection = (scene: Scene, fault: PlannedFault) => Promise<Sighting>;
