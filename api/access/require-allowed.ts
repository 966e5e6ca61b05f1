import { AppError, notFound } from '../../domain/core/app-error.ts';
import { type AllowlistName, permits } from '../../domain/permissions/index.ts';
import type { OrgCaller } from '../context/api-context.ts';

const THINGS = { agentIds: 'Agent', providerIds: 'Provider', chainIds: 'Provider chain' } as const;
const PLURALS = { agentIds: 'agents', providerIds: 'provider accounts', chainIds: 'provider chains' } as const;

type Listed = keyof typeof THINGS & AllowlistName;

/**
 * Throws `not_found` for a record that the caller may not use, as if it did not exist; null and undefined are ignored.
 */
export function requireAllowed({ policy }: OrgCaller, list: Listed, id: string | null | undefined): void {
  // Bodies may carry ids in upper case.
  if (typeof id === 'string' && !permits(policy, list, id.toLowerCase())) throw notFound(THINGS[list]);
}

/** Rejects adding a record that the caller could not use afterwards. */
export function requireUnlisted({ policy }: OrgCaller, list: Listed): void {
  if (policy.allowlists[list] === 'all') return;
  throw new AppError(
    'forbidden',
    `Your permission groups allow certain ${PLURALS[list]} only, so you cannot add others`,
  );
}

/** Returns the ids that the caller's allowlists are restricted to; undefined when they are not. */
export function allowedIds({ policy }: OrgCaller, list: Listed): readonly string[] | undefined {
  const allowed = policy.allowlists[list];
  return allowed === 'all' ? undefined : [...allowed];
}
