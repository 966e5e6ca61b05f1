import { z } from 'zod';

/** The number of field names recorded for one body. */
const MAX_FIELDS = 50;
const MAX_IDS = 1000;

const FIELD = /^[a-z]\w{0,63}$/;
const idsSchema = z.union([z.uuid().transform((id) => [id]), z.array(z.uuid())]);

/** Returns the names of a body's fields, never their values. */
export function namedFields(body: unknown): string[] {
  return entriesOf(body)
    .map(([name]) => name)
    .filter((name) => FIELD.test(name))
    .slice(0, MAX_FIELDS);
}

/** Returns the record ids in a body's fields `..._id` and `..._ids`. */
export function namedIds(body: unknown): string[] {
  const named = entriesOf(body).filter(([name]) => /_ids?$/.test(name));
  const ids = named.flatMap(([, value]) => idsSchema.safeParse(value).data ?? []);
  return ids.slice(0, MAX_IDS).map((id) => id.toLowerCase());
}

function entriesOf(body: unknown): [string, unknown][] {
  return body === null || typeof body !== 'object' || Array.isArray(body) ? [] : Object.entries(body);
}
