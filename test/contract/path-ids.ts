import type { Route } from '../../api/http/define-route.ts';
import { UNKNOWN_ID } from '../support/unknown-id.ts';
import { sampleQuery } from './sample-body.ts';

/** Values for path parameters, by name. */
export type PathIds = Readonly<Record<string, string>>;

/** Parts of a path that are secrets or names, not ids of records. */
export const SECRETS: ReadonlySet<string> = new Set(['token', 'file_path', 'key', 'slug']);

/** The names of the path's ids, outermost first. */
export function idNames({ path }: Pick<Route, 'path'>): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
}

/** The path with ids filled in, and the parameters without which the route is not answered; ids not given are unknown ones. */
export function fill({ path, query }: Pick<Route, 'path' | 'query'>, ids: PathIds = {}): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => ids[name] ?? UNKNOWN_ID);
  const required = query === undefined ? '' : new URLSearchParams(sampleQuery(query)).toString();
  return required === '' ? filled : `${filled}?${required}`;
}

/** The path with further parameters. */
export function withQuery(path: string, query: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}
