import type { ProviderAccount, SignInKey } from '../../../db/providers/index.ts';

/** Returns whether a person's own account was signed in once, and is not any more. */
export function needsRenewal(
  { userId, authType, credentials, disabledAt }: ProviderAccount,
  key: Pick<SignInKey, 'userId'>,
): boolean {
  return userId === key.userId && authType === 'oauth' && (credentials === null || disabledAt !== null);
}
