/** Name of the workflow that makes one small call with a provider account. */
export const PROBE_PROVIDER = 'probeProvider';

export interface ProbeProviderInput {
  readonly orgId: string;
  readonly accountId: string;
  readonly userId: string;
}

/** Ids of the workflows that try this account begin with it; each has one of its own. */
export function probesOf({ orgId, accountId }: Pick<ProbeProviderInput, 'orgId' | 'accountId'>): string {
  return `provider-probe/${orgId}/${accountId}/`;
}

/** What the call came to. `error` is in words for a person and holds no secret. */
export type ProbeResult =
  | { readonly ok: true; readonly latencyMs: number; readonly model: string }
  | { readonly ok: false; readonly error: string };
