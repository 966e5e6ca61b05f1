import { defineEntity, p } from '@mikro-orm/core';
import { tenantFilters, tenantProperties } from '../core/tenant-entity.ts';

/** A step as it is stored and shown. */
export interface StoredChainStep {
  readonly provider_type: string;
  readonly model_name: string | null;
}

const schema = defineEntity({
  name: 'ProviderChain',
  tableName: 'provider_chains',
  filters: tenantFilters,
  properties: {
    ...tenantProperties,
    /** Its creator; null when unknown. */
    ownerId: p.uuid().strictNullable(),
    name: p.text(),
    isDefault: p.boolean(),
    steps: p.json<StoredChainStep[]>(),
  },
});

/** The provider types that may answer a turn, in the order in which they are called. */
export class ProviderChain extends schema.class {}
schema.setClass(ProviderChain);
export { schema as providerChainSchema };
