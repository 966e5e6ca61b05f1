/** The type of the workflow that removes what a deleted organization has left. */
export const PURGE_ORG = 'purgeOrg';

export interface PurgeOrgInput {
  readonly orgId: string;
}

/** Returns the workflow's id: one purge for each organization. */
export function purgeOrgId({ orgId }: PurgeOrgInput): string {
  return `org-purge/${orgId}`;
}
