import { AppError } from './app-error.ts';

/**
 * The versions of a record that a change is meant for, each by the time of its last change; undefined when it is meant
 * for any.
 */
export type ExpectedVersions = readonly Date[] | undefined;

/** Throws `precondition_failed` unless a record, which is locked, has an expected version. */
export function requireVersion({ updatedAt }: { readonly updatedAt: Date }, expected: ExpectedVersions): void {
  if (expected?.every((each) => each.getTime() !== updatedAt.getTime()) === true) throw changedMeanwhile();
}

/** Makes the error for a change that is meant for another version of a record than it has. */
export function changedMeanwhile(): AppError {
  const message = 'The record was changed since you read it, so nothing was stored: read it again, then change it';
  return new AppError('precondition_failed', message);
}
