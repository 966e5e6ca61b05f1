/** The type of the workflow that makes one small request with an integration. */
export const CHECK_INTEGRATION = 'checkIntegration';

export interface CheckIntegrationInput {
  readonly orgId: string;
  readonly integrationId: string;
  readonly userId: string;
}

/** Returns the prefix of the ids of this integration's checks; each has an id of its own. */
export function checksOf({ orgId, integrationId }: Pick<CheckIntegrationInput, 'orgId' | 'integrationId'>): string {
  return `integration-check/${orgId}/${integrationId}/`;
}

/** Whether the credentials work. If not, the integration's row says why. */
export interface CheckIntegrationResult {
  readonly ok: boolean;
  /** Null when there was no answer. */
  readonly latencyMs: number | null;
}

/** The type of the workflow that finishes a person's sign-in with an integration. */
export const SIGN_IN_WITH_INTEGRATION = 'signInWithIntegration';

export interface IntegrationSignInInput {
  readonly orgId: string;
  readonly signInId: string;
}

/** Returns the id of the workflow of a sign-in. */
export function integrationSignInId({ orgId, signInId }: IntegrationSignInInput): string {
  return `integration-sign-in/${orgId}/${signInId}`;
}

/** Whether tokens were stored. If not, the row of the sign-in says why. */
export interface IntegrationSignInResult {
  readonly ok: boolean;
}

/** The type of the workflow that tells a service of the end of a grant. */
export const END_INTEGRATION_GRANT = 'endIntegrationGrant';

export interface RevokeGrantInput {
  readonly orgId: string;
  readonly revocationId: string;
}

/** Returns the id of the workflow of a revocation. */
export function revokeGrantId({ orgId, revocationId }: RevokeGrantInput): string {
  return `integration-revocation/${orgId}/${revocationId}`;
}
