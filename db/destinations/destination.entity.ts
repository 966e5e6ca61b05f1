import { defineEntity, p } from '@mikro-orm/core';
import type { DestinationConfig, DestinationKind } from '../../domain/destinations.ts';
import { tenantFilters, tenantProperties } from '../core/tenant-entity.ts';

const schema = defineEntity({
  name: 'Destination',
  tableName: 'destinations',
  filters: tenantFilters,
  properties: {
    ...tenantProperties,
    /** Who added it; null when the account is gone. */
    ownerId: p.uuid().strictNullable(),
    /** Unique in the organization, in whatever letters. */
    name: p.text(),
    kind: p.text().$type<DestinationKind>(),
    /** Whose credentials it uses; null without any, and when it was deleted. */
    integrationId: p.uuid().strictNullable(),
    config: p.json<DestinationConfig>(),
    /** When a test message was last sent. */
    checkedAt: p.datetime().strictNullable(),
    /** Why the last test message was not taken; null when it was. */
    error: p.text().strictNullable(),
  },
});

/** Where the organization has reports delivered. */
export class Destination extends schema.class {}
schema.setClass(Destination);
export { schema as destinationSchema };
