import { defineEntity, p } from '@mikro-orm/core';
import { tenantFilters, tenantProperties } from '../core/tenant-entity.ts';

const schema = defineEntity({
  name: 'ModelProfile',
  tableName: 'model_profiles',
  filters: tenantFilters,
  properties: {
    ...tenantProperties,
    /** Its creator; null when unknown. */
    ownerId: p.uuid().strictNullable(),
    name: p.text(),
    description: p.text(),
    providerType: p.text().strictNullable(),
    modelName: p.text().strictNullable(),
    providerChainId: p.uuid().strictNullable(),
    tags: p.json<string[]>(),
    priority: p.integer(),
  },
});

/** A named choice of a model: a provider's, or that of a provider chain. */
export class ModelProfile extends schema.class {}
schema.setClass(ModelProfile);
export { schema as modelProfileSchema };
