/** The type of the workflow that makes one small call with a provider account. */
export const PROBE_PROVIDER = 'probeProvider';

export interface ProbeProviderInput {
  readonly orgId: string;
  readonly accountId: string;
  readonly userId: string;
}

/** Returns the prefix of the ids of this account's probes; each probe has an id of its own. */
export function probesOf({ orgId, accountId }: Pick<ProbeProviderInput, 'orgId' | 'accountId'>): string {
  return `provider-probe/${orgId}/${accountId}/`;
}

/** The result of the call. `error` is meant for a person and holds no secret. */
export type ProbeResult =
  | { readonly ok: true; readonly latencyMs: number; readonly model: string }
  | { readonly ok: false; readonly error: string };

/** The type of the workflow that holds a person's sign-in at a provider. */
export const SIGN_IN_AT_PROVIDER = 'signInAtProvider';

export interface ProviderSignInInput {
  readonly orgId: string;
  readonly signInId: string;
}

/** Returns the id of the workflow of a sign-in. */
export function providerSignInId({ orgId, signInId }: ProviderSignInInput): string {
  return `provider-sign-in/${orgId}/${signInId}`;
}
