import { defineEntity, p } from '@mikro-orm/core';
import type { DefinitionKind, DefinitionOrigin, PersonaFields } from '../../domain/definitions/definition.ts';
import { tenantFilters, tenantProperties } from '../core/tenant-entity.ts';

const schema = defineEntity({
  name: 'DefinitionRecord',
  tableName: 'definitions',
  filters: tenantFilters,
  properties: {
    ...tenantProperties,
    /** Who added it; null when the account is gone. */
    ownerId: p.uuid().strictNullable(),
    kind: p.text().$type<DefinitionKind>(),
    key: p.text(),
    name: p.text(),
    description: p.text(),
    category: p.text(),
    origin: p.text().$type<Exclude<DefinitionOrigin, 'builtin'>>(),
    version: p.text(),
    slug: p.text().strictNullable(),
    installedDigest: p.text().strictNullable(),
    persona: p.json<PersonaFields>().strictNullable(),
  },
});

/** A tool, skill or persona of an organization. Its files have a table of their own. */
export class DefinitionRecord extends schema.class {}
schema.setClass(DefinitionRecord);
export { schema as definitionSchema };
