import { defineEntity, p } from '@mikro-orm/core';
import type { ChannelKind, ChannelPeople } from '../../domain/channels.ts';
import type { ChannelMailbox } from '../../domain/inbound-mail.ts';
import { tenantFilters, tenantProperties } from '../core/tenant-entity.ts';

const schema = defineEntity({
  name: 'Channel',
  tableName: 'channels',
  filters: tenantFilters,
  properties: {
    ...tenantProperties,
    /** Who added it; null once the account is deleted. */
    ownerId: p.uuid().strictNullable(),
    /** Unique in the organization, regardless of case. */
    name: p.text(),
    kind: p.text().$type<ChannelKind>(),
    /** Who answers; null once the agent was removed. */
    agentId: p.uuid().strictNullable(),
    /** Whose credentials it uses; null if the integration was deleted. */
    integrationId: p.uuid().strictNullable(),
    /** That of the integration when the channel was set up. */
    connection: p.uuid(),
    /** With which the service signs, encrypted. */
    secret: p.blob().$type<Buffer>(),
    matchesEmail: p.boolean(),
    people: p.json<ChannelPeople>(),
    /** Null for other kinds than `email`. */
    mail: p.json<ChannelMailbox>().strictNullable(),
    isActive: p.boolean(),
    /** Why the last message was not answered; null if it was. */
    error: p.text().strictNullable(),
  },
});

/** An app of a chat service, or a mailbox, in which an agent answers. */
export class Channel extends schema.class {}
schema.setClass(Channel);
export { schema as channelSchema };
