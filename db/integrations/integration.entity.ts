import { defineEntity, p } from '@mikro-orm/core';
import type { IntegrationKindKey } from '../../domain/integrations/kinds/index.ts';
import type { SecretPlace, Settings, TestRequest } from '../../domain/integrations/integration-kind.ts';
import { tenantFilters, tenantProperties } from '../core/tenant-entity.ts';

const schema = defineEntity({
  name: 'Integration',
  tableName: 'integrations',
  filters: tenantFilters,
  properties: {
    ...tenantProperties,
    /** Who added it; null when the account is gone. */
    ownerId: p.uuid().strictNullable(),
    kind: p.text().$type<IntegrationKindKey>(),
    /** Unique in the organization, in whatever letters. */
    name: p.text(),
    /** Null means the address of the kind. */
    baseUrl: p.text().strictNullable(),
    credentials: p.blob().$type<Buffer>(),
    /** The names of the secrets in `credentials`. */
    credentialFields: p.json<string[]>(),
    /** Where custom tools may put a secret. */
    secretPlaces: p.json<SecretPlace[]>(),
    /** The variables in which commands of agents find secrets, each with the name of its field. */
    commandVariables: p.json<Record<string, string>>(),
    /** Its settings that are not secret, by the names that its kind declares. */
    settings: p.json<Settings>(),
    /** How it is tested, where its kind does not say so. */
    testRequest: p.json<TestRequest>().strictNullable(),
    /** The tokens that requests are made with, encrypted; null while there are none. */
    granted: p.blob().$type<Buffer>().strictNullable(),
    /** When somebody last signed in; null while nobody has, or must do so again. */
    signedInAt: p.datetime().strictNullable(),
    /** Changes with everything that a request to the service is made from. */
    connection: p.uuid(),
    /** When a request last showed whether the credentials work; null while none has. */
    checkedAt: p.datetime().strictNullable(),
    /** Why that request failed, in words; null when it did not. */
    error: p.text().strictNullable(),
    /** When a tool last used it, to the minute; null when none has. */
    usedAt: p.datetime().strictNullable(),
    /** The account that the credentials belong to, as the service has named it. */
    account: p.text().strictNullable(),
  },
});

/** Named credentials of an organization for another service. */
export class Integration extends schema.class {}
schema.setClass(Integration);
export { schema as integrationSchema };
