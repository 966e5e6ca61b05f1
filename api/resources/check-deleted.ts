import { AppError } from '../../domain/core/app-error.ts';
import { type PermissionKey, type Policy, policyAllows } from '../../domain/permissions/index.ts';

/** Rejects callers who ask a list for the deleted records and may not restore them. */
export function checkMaySeeDeleted(
  { policy }: { readonly policy: Policy },
  { deleted }: { readonly deleted: boolean },
  key: PermissionKey,
): void {
  if (deleted && !policyAllows(policy, key))
    throw new AppError('forbidden', `Deleted records are listed for those who may restore them: it needs ${key}`);
}
