import type { z } from 'zod';
import type { Route } from '../../api/http/define-route.ts';
import { idNames, SECRETS } from './path-ids.ts';
import { type FieldSchema, toFieldSchema } from './sample-body.ts';

/** A place of a request that holds the id of a record. */
export interface IdSlot {
  readonly part: 'path' | 'query' | 'body';
  /** The way to it, such as `capabilities.agent_ids[]`: a name for each object, `[]` for an element of a list. */
  readonly name: string;
  /** What `makeIds` calls the ids of such records; null when no record of the kind can exist yet. */
  readonly recordName: string | null;
}

/** Names of ids in bodies that differ from the path's name for the same kind of record. */
const RECORD_NAMES: Readonly<Record<string, string | null>> = {
  provider_chain_id: 'chain_id',
  default_chain_id: 'chain_id',
  agent_ids: 'agent_id',
  chain_ids: 'chain_id',
  provider_ids: 'provider_id',
  before: 'message_id',
  user_ids: 'user_id',
  persona_id: null,
  persona_ids: null,
  id: null,
  server_id: null,
  project_id: null,
  file_ids: null,
};

/** Every place of a route's requests that holds the id of a record. */
export function idSlotsOf(route: Pick<Route, 'path' | 'query' | 'body'>): IdSlot[] {
  const inPath = idNames(route).filter((name) => !SECRETS.has(name));
  return [
    ...inPath.map((name) => ({ part: 'path', name, recordName: name }) as const),
    ...uuidFields(route.query).map((name) => ({ part: 'query', name, recordName: recordNameOf(name) }) as const),
    ...uuidFields(route.body).map((name) => ({ part: 'body', name, recordName: recordNameOf(name) }) as const),
  ];
}

/** A body that holds `id` in the slot, and is otherwise as given. */
export function withIdAt(body: Readonly<Record<string, unknown>>, name: string, id: string): Record<string, unknown> {
  const [first = '', ...rest] = name.split('.');
  if (first.endsWith('[]')) {
    const element = rest.length === 0 ? id : withIdAt({}, rest.join('.'), id);
    return { ...body, [first.slice(0, -2)]: [element] };
  }
  if (rest.length === 0) return { ...body, [first]: id };
  return { ...body, [first]: withIdAt({}, rest.join('.'), id) };
}

function recordNameOf(slot: string): string | null {
  const name = slot.split('.').at(-1)?.replace('[]', '') ?? '';
  return RECORD_NAMES[name] === undefined ? name : RECORD_NAMES[name];
}

function uuidFields(schema: z.ZodType | undefined): string[] {
  if (schema === undefined) return [];
  return placesIn(toFieldSchema(schema), '');
}

function placesIn(field: FieldSchema, name: string): string[] {
  const own = field.format === 'uuid' ? [name] : [];
  const alternatives = (field.anyOf ?? []).flatMap((alternative) => placesIn(alternative, name));
  const elements = field.items === undefined ? [] : placesIn(field.items, `${name}[]`);
  const parts = Object.entries(field.properties ?? {}).flatMap(([key, part]) =>
    placesIn(part, name === '' ? key : `${name}.${key}`),
  );
  return [...own, ...alternatives, ...elements, ...parts];
}
