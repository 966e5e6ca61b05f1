import { defineEntity, p } from '@mikro-orm/core';
import { tenantFilters, tenantProperties } from '../core/tenant-entity.ts';

const schema = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  filters: tenantFilters,
  properties: {
    ...tenantProperties,
    userId: p.uuid(),
    name: p.text(),
    publicId: p.text(),
    secretHash: p.blob().$type<Buffer>(),
    lastUsedAt: p.datetime().strictNullable(),
  },
});

/** A user's key for programmatic access to one organization. `secretHash` is the SHA-256 of the whole key. */
export class ApiKey extends schema.class {}
schema.setClass(ApiKey);
export { schema as apiKeySchema };
