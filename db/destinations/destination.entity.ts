import { defineEntity, p } from '@mikro-orm/core';
import type { DestinationConfig, DestinationKind } from '../../domain/destinations.ts';
import type { QuietHours } from '../../domain/sending-times.ts';
import { tenantFilters, tenantProperties } from '../core/tenant-entity.ts';

const schema = defineEntity({
  name: 'Destination',
  tableName: 'destinations',
  filters: tenantFilters,
  properties: {
    ...tenantProperties,
    /** Who added it; null once the account is deleted. */
    ownerId: p.uuid().strictNullable(),
    /** Unique in the organization, regardless of case. */
    name: p.text(),
    kind: p.text().$type<DestinationKind>(),
    /** Whose credentials it uses; null if it needs none or the integration was deleted. */
    integrationId: p.uuid().strictNullable(),
    config: p.json<DestinationConfig>(),
    quietHours: p.json<QuietHours>().strictNullable(),
    /** For how long reports are collected into one message; null when each is sent by itself. */
    digestMinutes: p.integer().strictNullable(),
    /** When a test message was last sent. */
    checkedAt: p.datetime().strictNullable(),
    /** Why the last test message was not accepted; null if it was. */
    error: p.text().strictNullable(),
  },
});

/** Where reports of the organization are delivered. */
export class Destination extends schema.class {}
schema.setClass(Destination);
export { schema as destinationSchema };
