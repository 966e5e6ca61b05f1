import { z } from 'zod';
import { MAX_PAGE_ROWS } from '../../db/core/index.ts';

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

/** The parameters of every list: which page of it is asked for. Without them the first, of as many as one page may hold. */
export const pageParams = {
  limit: queryInt(1, MAX_PAGE_ROWS).optional(),
  offset: queryInt(0, 999_999_999).optional(),
};

/** The query of a list that takes nothing else. */
export const pageQuery = z.object(pageParams);

/** The error body of every status from 400 on. */
export const problemSchema = z
  .object({
    detail: z.union([
      z.string(),
      z.array(z.object({ type: z.string(), loc: z.array(z.union([z.string(), z.number()])), msg: z.string() })),
    ]),
  })
  .meta({ id: 'Problem' });
