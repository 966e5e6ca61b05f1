import type { z } from 'zod';
import type { Route } from '../../api/http/define-route.ts';
import { UNKNOWN_ID } from '../support/unknown-id.ts';
import { fieldsOf, sampleQuery } from './sample-body.ts';

/** Values for path parameters, by name. */
export type PathIds = Readonly<Record<string, string>>;

/** Parts of a path that are secrets or names, not ids of records. */
export const SECRETS: ReadonlySet<string> = new Set([
  'token',
  'file_path',
  'path',
  'key',
  'slug',
  'repo_type',
  'model',
  'provider',
  'account_name',
]);

/** The names of the path's ids, outermost first, and of those that the query cannot do without. */
export function idNames({ path, query }: Pick<Route, 'path'> & Partial<Pick<Route, 'query'>>): string[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  return query === undefined ? inPath : [...inPath, ...neededIds(query)];
}

function neededIds(query: z.ZodType): string[] {
  return fieldsOf(query).flatMap(({ name, field, isRequired }) =>
    isRequired && field.format === 'uuid' ? [name] : [],
  );
}

/**
 * The path with ids filled in, and the parameters without which the route is not answered; ids not given are unknown
 * ones.
 */
export function fill({ path, query }: Pick<Route, 'path' | 'query'>, ids: PathIds = {}): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => ids[name] ?? UNKNOWN_ID);
  const required = query === undefined ? '' : new URLSearchParams(sampleQuery(query, ids)).toString();
  return required === '' ? filled : `${filled}?${required}`;
}

/** The path with further parameters. */
export function withQuery(path: string, query: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** The path with ids filled in, and another one in the place that holds it in the path or in the query. */
export function fillWith(
  route: Pick<Route, 'path' | 'query'>,
  ids: PathIds,
  { part, name, id }: { readonly part: string; readonly name: string; readonly id: string },
): string {
  if (part === 'path' || idNames(route).includes(name)) return fill(route, { ...ids, [name]: id });
  return part === 'query' ? withQuery(fill(route, ids), `${name}=${id}`) : fill(route, ids);
}
