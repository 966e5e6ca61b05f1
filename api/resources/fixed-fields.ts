import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Route } from '../http/define-route.ts';
import { InvalidRequest, UNSETTABLE } from '../http/problem.ts';

/** The fields of a record that its `PATCH` cannot set although other requests can, and the route that reads them. */
export interface FixedFields {
  readonly names: ReadonlySet<string>;
  readonly reader: Route;
}

/** Finds the fixed fields of the record that a route changes; `undefined` for other routes. */
export function fixedFieldsOf(route: Route, routes: readonly Route[]): FixedFields | undefined {
  const { method, path, body, response } = route;
  const { schema } = response;
  const reader = routes.find((each) => each.method === 'get' && each.path === path && each.response.schema === schema);
  if (method !== 'patch' || reader === undefined) return undefined;
  if (!(schema instanceof z.ZodObject) || !(body instanceof z.ZodObject)) return undefined;
  return { names: new Set(Object.keys(schema.shape).filter((name) => !(name in body.shape))), reader };
}

/** Rejects fixed fields that differ from those of the record, which is read only when there are any. */
export async function checkFixedFields(
  sent: Readonly<Record<string, unknown>>,
  readRecord: () => Promise<unknown>,
): Promise<void> {
  const fields = Object.entries(sent);
  if (fields.length === 0) return;
  const record = (await readRecord()) as Readonly<Record<string, unknown>>;
  const changed = fields.filter(([name, value]) => !isDeepStrictEqual(value, record[name]));
  if (changed.length === 0) return;
  throw new InvalidRequest(
    changed.map(([name]) => ({ type: 'extra_forbidden', loc: ['body', name], msg: UNSETTABLE })),
  );
}
