/** The type of the workflow that keeps the tables and the storage in order. */
export const HOUSEKEEPING = 'housekeeping';

/** How often it runs; each has a Schedule. */
export const INTERVALS = ['minute', 'hour', 'night'] as const;

export interface HousekeepingInput {
  readonly interval: (typeof INTERVALS)[number];
}

/** Returns the id of the Schedule, and the beginning of the ids of the workflows that it starts. */
export function housekeepingId({ interval }: HousekeepingInput): string {
  return `system/housekeeping/${interval}`;
}

/** The type of the workflow that removes what a deleted organization has left. */
export const PURGE_ORG = 'purgeOrg';

export interface PurgeOrgInput {
  readonly orgId: string;
}

/** Returns the workflow's id: one purge for each organization. */
export function purgeOrgId({ orgId }: PurgeOrgInput): string {
  return `org-purge/${orgId}`;
}
