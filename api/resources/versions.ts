import { AppError } from '../../domain/core/app-error.ts';
import type { PermissionKey } from '../../domain/permissions/keys.ts';
import { type Policy, policyAllows } from '../../domain/permissions/policy.ts';
import { z } from 'zod';
import { type ExpectedVersions, resourceOf } from '../../domain/resources.ts';
import type { Route } from '../http/define-route.ts';
import { InvalidRequest } from '../http/problem.ts';

/** Rejects callers who ask a list for the deleted records and may not restore them. */
export function checkMaySeeDeleted(
  { policy }: { readonly policy: Policy },
  { deleted }: { readonly deleted: boolean },
  key: PermissionKey,
): void {
  if (deleted && !policyAllows(policy, key))
    throw new AppError(
      'forbidden',
      `Deleted records are listed only for users who may restore them: this requires ${key}`,
    );
}

/** The field of a response that contains the version of its record. */
const FIELD = 'updated_at';

type VersionedRoute = Pick<Route, 'resource' | 'method' | 'path' | 'action' | 'response'>;

/** The actions of routes that change one file of a record, which has a version of its own. */
const FILE_CHANGES: ReadonlySet<string | undefined> = new Set(['write_file', 'delete_file']);

/** The actions of routes that change or delete a record; others start something that it is about. */
const RECORD_CHANGES: ReadonlySet<string | undefined> = new Set([
  undefined,
  'activate',
  'deactivate',
  'purge',
  'restore',
  'set_agents',
  'set_members',
]);

/**
 * Returns whether a route changes or deletes a record of which several people may have an editor open, or a file of it.
 */
export function takesIfMatch({ resource, method, path, action }: VersionedRoute): boolean {
  const { hasEditors, idName } = resourceOf(resource);
  if (hasEditors !== true || method === 'get') return false;
  return FILE_CHANGES.has(action) || (RECORD_CHANGES.has(action) && path.includes(`{${idName}}`));
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
