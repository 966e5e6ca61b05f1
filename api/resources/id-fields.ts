import { z } from 'zod';
import { type IdName, nameInSentence, RESOURCE_OF_ID, type ResourceKey } from '../../domain/resources.ts';

/** The resource that the id in a field refers to. */
interface IdField {
  /** Undefined for the id of any record. */
  readonly resource: ResourceKey | undefined;
  /** The id filters a list: its record need not exist, and it is not rejected. */
  readonly isFilter: boolean;
}

const idFields = z.registry<IdField>();

/** Returns the resource of an id schema that was made here; undefined for every other schema. */
export function idFieldOf(schema: z.core.$ZodType): IdField | undefined {
  return idFields.get(schema);
}

/**
 * Makes the schema of a record's id in a request, in the lower-case form in which ids are made, stored and compared. A
 * record that the caller's allowlists leave out is rejected before the handler, as if it did not exist.
 */
export function idOf(resource: ResourceKey) {
  return idField(`Id of the ${nameInSentence(resource)}`, { resource, isFilter: false });
}

/**
 * Makes the schema of an id that filters a list. The list shows only records that its caller may see, whatever the id
 * names.
 */
export function idFilter(resource?: ResourceKey) {
  const description = resource === undefined ? 'Id of a record' : `Id of the ${nameInSentence(resource)}`;
  return idField(description, { resource, isFilter: true });
}

function idField(description: string, field: IdField) {
  const schema = z.uuid().toLowerCase().meta({ description });
  idFields.add(schema, field);
  return schema;
}

/** Makes the path parameters of a route; each is the id of a record of the resource whose ids have that name. */
export function idParams<const K extends IdName>(...names: readonly K[]) {
  const fields = names.map((name) => [name, idOf(RESOURCE_OF_ID[name])]);
  return z.object(Object.fromEntries(fields) as Record<K, z.ZodUUID>);
}
