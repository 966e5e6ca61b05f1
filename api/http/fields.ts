import { z } from 'zod';
import { MAX_PAGE_ROWS } from '../../db/core/page.ts';
import { PRIORITIES } from '../../domain/priorities.ts';
import { ROLES } from '../../domain/permissions/keys.ts';
import { idOf } from '../resources/id-fields.ts';

/** A time for examples. */
export const EXAMPLE_TIME = '2026-11-22T09:30:00.000Z';

/** An id for examples. */
export const EXAMPLE_ID = '019aa4c7-5d10-7cf3-9a5e-3f1f6c0b8d21';

/** A timestamp in a response: ISO 8601, UTC. */
export const timestamp = z.iso.datetime().meta({ description: 'ISO 8601, UTC' });

/** A point in time that a caller names: ISO 8601, with its offset from UTC. */
export const moment = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

/** A member's role in an organization. */
export const roleField = z.enum(ROLES).meta({ id: 'Role' });

/** The priority of an issue or a task. */
export const priority = z.enum(PRIORITIES).meta({ id: 'Priority' });

/** The path parameters of a route that is about an invite. */
export const inviteTokenParams = z.object({ token: z.string().meta({ description: 'The token of the invite' }) });

/** Makes a query parameter that is a whole number: a text to the router, a number to clients. */
export function queryInt(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({ type: 'integer', minimum: min, maximum: max });
}

const MORE_FOLLOW = 'There may be fewer when they are large: more follow as long as `Link` names a next page.';

/** Creates the page size parameter, whose default is the maximum unless one is given. */
export function limitParam(max = MAX_PAGE_ROWS) {
  const description = `The maximum number of records to return. ${MORE_FOLLOW}`;
  return queryInt(1, max).meta({ type: 'integer', minimum: 1, maximum: max, default: max, description });
}

/** Makes the parameter that asks for pages of a list which is whole without it. */
export function pagingParam() {
  const description = `The maximum number of records to return; without it, all. ${MORE_FOLLOW}`;
  return queryInt(1, MAX_PAGE_ROWS).meta({ type: 'integer', minimum: 1, maximum: MAX_PAGE_ROWS, description });
}

/** Makes the parameter for the number of records to skip. */
export function offsetParam(max = 999_999_999) {
  const description = 'The number of records to skip.';
  return queryInt(0, max).meta({ type: 'integer', minimum: 0, maximum: max, default: 0, description });
}

/** The parameters of every list: the requested page. By default the first one, of the maximum size. */
export const pageParams = {
  limit: limitParam().optional(),
  offset: offsetParam().optional(),
};

/** What a record that can be restored says of its deletion. */
export const deletionFields = {
  deleted_at: timestamp
    .nullable()
    .meta({ description: 'When it was deleted; null unless it is deleted and can be restored' }),
  deleted_by: z.uuid().nullable().meta({
    description: 'Who deleted it; null when unknown or the account was deleted',
  }),
};

/** Returns a parameter of a query that is `true` or `false`, which it is by default. */
export function flagParam(description: string) {
  return z
    .stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' })
    .default(false)
    .meta({ type: 'boolean', description });
}

/** Whether to list the deleted records, which can be restored, instead of the others. */
export const deletedParam = flagParam(
  'Return the deleted records instead of the others; 403 for users who may not restore them',
);

/** Whether a page is the last one of a list that begins with the oldest. */
export const newestParam = flagParam('Return the last page instead of the first; `offset` counts from the end');

/** The query of a list without further parameters. */
export const pageQuery = z.strictObject(pageParams);

/** The query of a list of restorable records without further parameters. */
export const restorableQuery = z.strictObject({ ...pageParams, deleted: deletedParam });

/** The query of a streaming route: the value of `X-Org-Id`, for clients that cannot set headers. */
export const streamQuery = z.strictObject({
  org_id: idOf('orgs')
    .optional()
    .meta({ description: 'One of your organizations other than the active one, as with X-Org-Id' }),
});

/** One validation issue of a request. */
const issueSchema = z
  .object({
    type: z.string().meta({ description: 'The kind of error' }),
    // Strings and numbers, untyped: OpenAPI Generator (Python) cannot read a union within another, that of `detail`.
    loc: z.array(z.unknown()).meta({
      description:
        'The location: `body`, `query`, `path` or `header`, then the path to the value: names of fields and indexes of lists',
    }),
    msg: z.string().meta({ description: 'What is wrong, human-readable' }),
  })
  .meta({ id: 'ValidationIssue' });

/** The error body of every status from 400 on. */
export const problemSchema = z
  .object({
    // Clients of OpenAPI Generator (TypeScript) have a type for `oneOf`, and none for `anyOf`.
    detail: z
      .xor([z.string(), z.array(issueSchema)])
      .meta({ description: 'What went wrong, human-readable; for 422 a list of errors, one per field' }),
  })
  .meta({ id: 'Problem' });
