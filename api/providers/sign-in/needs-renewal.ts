import { type SecretBox, whyUnreadable } from '../../../db/core/index.ts';
import type { ProviderAccount, SignInKey } from '../../../db/providers/index.ts';

/** Returns whether a person's own account was signed in once, and is not any more. */
export function needsRenewal(box: SecretBox, account: ProviderAccount, key: Pick<SignInKey, 'userId'>): boolean {
  const { userId, authType, credentials, disabledAt } = account;
  if (userId !== key.userId || authType !== 'oauth') return false;
  return credentials === null || disabledAt !== null || whyUnreadable(box, credentials) !== null;
}
