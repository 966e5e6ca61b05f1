import type { EntityManager } from '@mikro-orm/postgresql';
import type { ModelProfile, ModelProfileFields } from '../../db/model-profiles/index.ts';
import { requireProviderChain } from '../../db/provider-chains/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { isAdministrator } from '../access/is-administrator.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { fieldIssue } from '../http/problem.ts';

type Choice = Pick<ModelProfileFields, 'providerType' | 'modelName' | 'providerChainId'>;

/**
 * Checks that the chain of a profile exists, and keeps it until the transaction has ended; `not_found` when it does
 * not.
 */
export async function checkChain(
  em: EntityManager,
  { providerChainId }: { readonly providerChainId?: string | null | undefined },
): Promise<void> {
  if (typeof providerChainId === 'string') await requireProviderChain(em, providerChainId);
}

/** Rejects a profile that names neither a provider nor a chain, or both. */
export function checkChoice({ providerType, modelName, providerChainId }: Choice): void {
  if (providerChainId === null && providerType === null)
    throw fieldIssue('provider_type', 'a profile needs a provider_type or a provider_chain_id');
  if (providerChainId === null) return;
  if (providerType !== null) throw fieldIssue('provider_type', 'must be null beside a provider_chain_id');
  if (modelName !== null)
    throw fieldIssue('model_name', 'must be null beside a provider_chain_id, whose steps name models');
}

/** Rejects a change after which a profile would name neither a provider nor a chain, or both. */
export function checkChangedChoice(
  profile: Choice,
  { providerType, modelName, providerChainId }: { readonly [K in keyof Choice]?: Choice[K] | undefined },
): void {
  // One that has lost its chain can still be renamed.
  if (providerType === undefined && modelName === undefined && providerChainId === undefined) return;
  checkChoice({
    providerType: providerType === undefined ? profile.providerType : providerType,
    modelName: modelName === undefined ? profile.modelName : modelName,
    providerChainId: providerChainId === undefined ? profile.providerChainId : providerChainId,
  });
}

/** Rejects a member's change or deletion of a profile that somebody else made. */
export function checkMayChange(caller: OrgCaller, { ownerId }: ModelProfile): void {
  if (isAdministrator(caller) || ownerId === caller.userId) return;
  throw new AppError('forbidden', 'Only its creator and administrators may change this model profile');
}
