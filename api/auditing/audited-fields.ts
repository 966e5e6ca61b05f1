import { z } from 'zod';

/** What is told of one body at most. */
const MAX_FIELDS = 50;
const MAX_IDS = 1000;

const FIELD = /^[a-z]\w{0,63}$/;
const idsSchema = z.union([z.uuid().transform((id) => [id]), z.array(z.uuid())]);

/** The names of a body's fields, and nothing of what is in them. */
export function namedFields(body: unknown): string[] {
  return entriesOf(body)
    .map(([name]) => name)
    .filter((name) => FIELD.test(name))
    .slice(0, MAX_FIELDS);
}

/** The ids of records that a body names in its fields `..._id` and `..._ids`. */
export function namedIds(body: unknown): string[] {
  const named = entriesOf(body).filter(([name]) => /_ids?$/.test(name));
  const ids = named.flatMap(([, value]) => idsSchema.safeParse(value).data ?? []);
  return ids.slice(0, MAX_IDS).map((id) => id.toLowerCase());
}

function entriesOf(body: unknown): [string, unknown][] {
  return body === null || typeof body !== 'object' || Array.isArray(body) ? [] : Object.entries(body);
}
