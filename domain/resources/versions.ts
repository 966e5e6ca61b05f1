import { AppError } from '../core/app-error.ts';

/**
 * The versions of a record that a change is meant for, each by the time of its last change; undefined when it is meant
 * for any.
 */
export type ExpectedVersions = readonly Date[] | undefined;

/** Throws `precondition_failed` unless a record, which is locked, has an expected version. */
export function requireVersion({ updatedAt }: { readonly updatedAt: Date }, expected: ExpectedVersions): void {
  if (expected?.every((each) => each.getTime() !== updatedAt.getTime()) !== true) return;
  const message = 'The record was changed since you read it, so nothing was stored: read it again, then change it';
  throw new AppError('precondition_failed', message);
}
