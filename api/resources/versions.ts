import { z } from 'zod';
import { type ExpectedVersions, resourceOf } from '../../domain/resources/index.ts';
import type { Route } from '../http/define-route.ts';
import { InvalidRequest } from '../http/problem.ts';

/** The field of a response that tells the version of its record. */
const FIELD = 'updated_at';

type VersionedRoute = Pick<Route, 'resource' | 'method' | 'action' | 'body' | 'response'>;

/** The actions of routes that change one file of a record, which has a version of its own. */
const FILE_CHANGES: ReadonlySet<string | undefined> = new Set(['write_file', 'delete_file']);

/**
 * Returns whether a route changes fields of a record of which several people may have an editor open, or a file of it.
 */
export function takesIfMatch({ resource, method, action, body }: VersionedRoute): boolean {
  if (resourceOf(resource).hasEditors !== true) return false;
  return FILE_CHANGES.has(action) || (method === 'patch' && action === undefined && body !== undefined);
}

/** Returns whether the responses of a route have an `ETag`: those that are one such record. */
export function answersETag({ resource, response }: VersionedRoute): boolean {
  const { schema } = response;
  return resourceOf(resource).hasEditors === true && schema instanceof z.ZodObject && FIELD in schema.shape;
}

/** Returns the `ETag` of a record as a response shows it: the time of its last change, in quotes. */
export function eTagOf(answer: unknown): string {
  const { updated_at: updatedAt } = answer as { readonly updated_at: Date | string };
  return `"${new Date(updatedAt).toISOString()}"`;
}

/**
 * Reads `If-Match` (RFC 9110, 13.1.1). A tag that a proxy has made a weak one counts as well: it names the version of a
 * record, not the bytes of a response. Throws for what is no list of tags.
 */
export function readIfMatch(header: string | undefined): ExpectedVersions {
  if (header === undefined || header.trim() === '*') return undefined;
  const tags = header.split(',').map((tag) => /^(?:W\/)?"([^"]*)"$/.exec(tag.trim())?.[1]);
  if (tags.some((tag) => tag === undefined)) throw new InvalidRequest([NO_TAG]);
  const times = tags.map((tag) => new Date(tag ?? ''));
  return times.filter((time) => !Number.isNaN(time.getTime()));
}

const NO_TAG = {
  type: 'custom',
  loc: ['header', 'If-Match'],
  msg: 'must be the ETag of the record, in its quotes, or *',
};
