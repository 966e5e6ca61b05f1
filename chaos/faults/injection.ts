import type { Installation } from '../installation/installation.ts';
import type { PlannedFault } from './plan-faults.ts';

/** Clients whose connections can be lost. */
export interface Droppable {
  drop(): void;
}

/** What a fault is injected into. */
export interface Scene {
  readonly installation: Installation;
  readonly clients: readonly Droppable[];
  /** How long Temporal is kept away, in milliseconds. */
  readonly temporalAwayMs: number;
  /** Lets users send the messages that belong to this fault. */
  letIn(): void;
}

/** What was seen of an aimed fault: whether it struck in the moment that it was meant for, and in words what it met. */
export interface Sighting {
  readonly isHit: boolean;
  readonly seen: string;
}

/** Injects a fault that is aimed at one moment; resolves when what it hit is up again. */
export type AimedInjection = (scene: Scene, fault: PlannedFault) => Promise<Sighting>;
