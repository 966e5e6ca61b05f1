import type { Payer } from '../../domain/core/keyed-semaphore.ts';

/** Finds out who pays for the work of an organization, so that what all share is bounded for each person. */
export interface Payers {
  /** Returns the payer; an organization counts by itself while the database does not answer. */
  of(orgId: string): Promise<Payer>;
  /** Returns the payer without a wait; an organization counts by itself until its owner is known. */
  known(orgId: string): Payer;
}
