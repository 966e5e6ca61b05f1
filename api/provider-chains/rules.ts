import type { EntityManager } from '@mikro-orm/postgresql';
import { isForcedChain } from '../../db/permissions/index.ts';
import type { ProviderChain } from '../../db/provider-chains/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { isAdministrator } from '../access/is-administrator.ts';

/** Rejects a member's choice of the model for everybody's turns. */
export function checkMayBeDefault(caller: OrgCaller, wanted: boolean | undefined): void {
  if (wanted !== true || isAdministrator(caller)) return;
  throw new AppError('forbidden', 'Only administrators (who hold settings.manage) make a chain the default');
}

/**
 * Rejects a member's change or deletion of a chain that others rely on, or that restricts the member: changing it would
 * change the rule.
 */
export async function checkMayChange(em: EntityManager, caller: OrgCaller, chain: ProviderChain): Promise<void> {
  if (isAdministrator(caller)) return;
  if (chain.ownerId !== caller.userId)
    throw new AppError('forbidden', 'Only its creator and administrators may change this provider chain');
  if (chain.isDefault) throw new AppError('forbidden', 'Only administrators may change the default provider chain');
  if (caller.policy.allowlists.chainIds !== 'all' || (await isForcedChain(em, chain.id)))
    throw new AppError('forbidden', 'A permission group names this provider chain: only administrators may change it');
}
