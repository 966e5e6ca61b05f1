import type { ProviderFailure } from './provider-failure.ts';
import { ReportedError } from './reported-error.ts';

/**
 * Returns whether a failure that neither disables its account nor has it cool down says something about the account all
 * the same, and not only about the request: that its provider cannot be reached, fails, or lacks the model.
 */
export function concernsAccount({ kind, cause }: ProviderFailure): boolean {
  if (kind === 'outage' || kind === 'timeout') return true;
  if (kind !== 'rejected' || cause === undefined) return false;
  return !(cause instanceof ReportedError) || cause.status === 404;
}
