import type { Payers } from '../../db/core/sql-pool.ts';
import type { Payer } from '../../domain/core/keyed-semaphore.ts';

/** Returns the payer of an organization that nobody else's count with. */
export function ownPayer(orgId: string): Payer {
  return { ownerId: orgId, orgId };
}

/** Has each organization pay for itself. */
export const OWN_PAYERS: Payers = { of: async (orgId) => ownPayer(orgId), known: ownPayer };
