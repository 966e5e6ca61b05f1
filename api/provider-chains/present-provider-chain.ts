import type { z } from 'zod';
import type { ProviderChain, ProviderChainFields } from '../../db/provider-chains/index.ts';
import type { providerChainChangesSchema, providerChainSchema } from './schema.ts';

/** A chain as the API shows it. */
export function presentProviderChain(chain: ProviderChain): z.input<typeof providerChainSchema> {
  return {
    id: chain.id,
    owner_id: chain.ownerId,
    name: chain.name,
    is_default: chain.isDefault,
    steps: chain.steps.map(({ provider_type: type, model_name: model }) => ({
      provider_type: type,
      model_name: model,
    })),
    created_at: chain.createdAt.toISOString(),
    updated_at: chain.updatedAt.toISOString(),
  };
}

/** The chain's fields that a request body sets, under their inner names. */
export function toChainFields(body: z.output<typeof providerChainChangesSchema>): Partial<ProviderChainFields> {
  return {
    ...(body.name !== undefined && { name: body.name }),
    ...(body.is_default !== undefined && { isDefault: body.is_default }),
    ...(body.steps !== undefined && { steps: body.steps }),
  };
}
