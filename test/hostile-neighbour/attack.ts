import type { Attacker } from './attacker.ts';

/** Something that an account does to harm others. */
export interface Attack {
  /** What the account does, in the third person. */
  readonly name: string;
  /** Does it, holds what became of it against what is promised, and answers that in a few words. */
  run(attacker: Attacker): Promise<string>;
}

/** Attacks on the same part of the platform. */
export interface AttackFamily {
  readonly name: string;
  /** The first one is quick to prepare: every test run carries that of some families out. */
  readonly attacks: readonly Attack[];
}
