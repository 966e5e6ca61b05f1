/** The type of the workflow that runs a person's sign-in at a provider. */
export const SIGN_IN_AT_PROVIDER = 'signInAtProvider';

export interface ProviderSignInInput {
  readonly orgId: string;
  readonly signInId: string;
}

/** Returns the id of the workflow of a sign-in. */
export function providerSignInId({ orgId, signInId }: ProviderSignInInput): string {
  return `provider-sign-in/${orgId}/${signInId}`;
}
