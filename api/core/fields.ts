import { z } from 'zod';

/** A timestamp in an answer: ISO 8601, UTC. */
export const timestamp = z.iso.datetime().meta({ description: 'ISO 8601, UTC' });

/** The path parameters of a route, each a UUID in the lower-case form in which ids are made, stored and compared. */
export function idParams<const K extends string>(...names: readonly K[]) {
  return z.object(Object.fromEntries(names.map((name) => [name, z.uuid().toLowerCase()])) as Record<K, z.ZodUUID>);
}

/** A query parameter that is a whole number. */
export function queryInt(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(min).max(max));
}

/** The query of a list that is whole unless a page is asked for. */
export const optionalPage = { limit: queryInt(1, 500).optional(), offset: queryInt(0, 999_999_999).optional() };

/** The error body of every status from 400 on. */
export const problemSchema = z
  .object({
    detail: z.union([
      z.string(),
      z.array(z.object({ type: z.string(), loc: z.array(z.union([z.string(), z.number()])), msg: z.string() })),
    ]),
  })
  .meta({ id: 'Problem' });
