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
