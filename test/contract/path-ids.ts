import type { Route } from '../../api/http/define-route.ts';
import { UNKNOWN_ID } from '../support/unknown-id.ts';

/** Values for path parameters, by name. */
export type PathIds = Readonly<Record<string, string>>;

/** Parts of a path that are secrets or names, not ids of records. */
export const SECRETS: ReadonlySet<string> = new Set(['token', 'file_path', 'key']);

/** The names of the path's ids, outermost first. */
export function idNames({ path }: Pick<Route, 'path'>): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
}

/** The path with ids filled in; those that are not given are unknown ones. */
export function fill({ path }: Pick<Route, 'path'>, ids: PathIds = {}): string {
  return path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => ids[name] ?? UNKNOWN_ID);
}
