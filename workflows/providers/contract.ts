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

/** The type of the workflow that asks an account which models it offers. */
export const LIST_PROVIDER_MODELS = 'listProviderModels';

export type ListProviderModelsInput = ProbeProviderInput;

/** Returns the prefix of the ids of the workflows that ask this account; each has an id of its own. */
export function modelListsOf({ orgId, accountId }: Pick<ListProviderModelsInput, 'orgId' | 'accountId'>): string {
  return `provider-models/${orgId}/${accountId}/`;
}

/** A model that an account offers. */
export interface OfferedModel {
  /** What goes into `model_name`. */
  readonly id: string;
  /** Its name for people; null when the provider has none. */
  readonly name: string | null;
}

/** The models of an account. `error` is meant for a person and holds no secret. */
export type ListProviderModelsResult =
  | { readonly ok: true; readonly models: readonly OfferedModel[] }
  | { readonly ok: false; readonly error: string };

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
