/** Name of the workflow that removes what a deleted organization has left. */
export const PURGE_ORG = 'purgeOrg';

export interface PurgeOrgInput {
  readonly orgId: string;
}
