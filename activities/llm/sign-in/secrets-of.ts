import type { ModelAccount } from '../model-adapter.ts';

/** Returns every secret of an account, so that no text of its provider is shown with one in it. */
export function secretsOf({
  apiKey,
  signIn,
}: Pick<ModelAccount, 'apiKey' | 'signIn'>): readonly (string | undefined)[] {
  if (signIn === undefined) return [apiKey];
  if (signIn.type === 'access_token') return [signIn.accessToken];
  if (signIn.type === 'service_account') return [signIn.serviceAccount.privateKey];
  return [signIn.secretAccessKey, signIn.sessionToken];
}
