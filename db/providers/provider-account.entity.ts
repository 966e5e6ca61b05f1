import { defineEntity, p } from '@mikro-orm/core';
import type { AuthType } from '../../domain/providers/credential-forms.ts';
import { tenantFilters, tenantProperties } from '../core/tenant-entity.ts';

const schema = defineEntity({
  name: 'ProviderAccount',
  tableName: 'provider_accounts',
  filters: tenantFilters,
  properties: {
    ...tenantProperties,
    /** The owner; null when that user is gone. */
    userId: p.uuid().strictNullable(),
    /** Whether it serves everybody in the organization, not only its owner. */
    shared: p.boolean(),
    providerType: p.text(),
    name: p.text(),
    authType: p.text().$type<AuthType>(),
    credentials: p.blob().$type<Buffer>().strictNullable(),
    modelName: p.text().strictNullable(),
    baseUrl: p.text().strictNullable(),
    cooldownSeconds: p.integer(),
    cooldownUntil: p.datetime().strictNullable(),
    disabledAt: p.datetime().strictNullable(),
    disabledReason: p.text().strictNullable(),
    lastUsedAt: p.datetime().strictNullable(),
    /** Why the last call failed, in words for people; null after one that succeeded. */
    lastFailure: p.text().strictNullable(),
    lastFailedAt: p.datetime().strictNullable(),
    deletedAt: p.datetime().strictNullable(),
    /** Who has deleted it; null when that is not known, or the account is gone. */
    deletedBy: p.uuid().strictNullable(),
    /** Whether it is being tested before it is kept: it is invisible like a deleted account, and cannot be restored. */
    isTentative: p.boolean(),
  },
});

/** An account at an LLM provider. `credentials` contains the encrypted JSON of the auth payload. */
export class ProviderAccount extends schema.class {}
schema.setClass(ProviderAccount);
export { schema as providerAccountSchema };
