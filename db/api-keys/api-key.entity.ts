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
    /** The last four characters of the key; null for one that was made before they were kept. */
    hint: p.text().strictNullable(),
    /** Null when unknown. */
    madeBy: p.text().$type<'sign_in' | 'device'>().strictNullable(),
    /** The session with which the key was created; null for the key that a device gets at sign-in. */
    sessionId: p.uuid().strictNullable(),
    expiresAt: p.datetime().strictNullable(),
    lastUsedAt: p.datetime().strictNullable(),
  },
});

/** A user's key for programmatic access to one organization. `secretHash` is the SHA-256 of the whole key. */
export class ApiKey extends schema.class {}
schema.setClass(ApiKey);
export { schema as apiKeySchema };
