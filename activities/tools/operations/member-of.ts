import { AppError } from '../../../domain/core/app-error.ts';
import type { Policy } from '../../../domain/permissions/index.ts';

/** Returns who a call works for, with their rights; `forbidden` when they are no longer a member. */
export function memberOf<T extends { readonly policy: Policy | null }>({ policy, ...scope }: T) {
  if (policy !== null) return { ...scope, policy };
  throw new AppError('forbidden', 'The user whom you work for is no member of the organization any more');
}
