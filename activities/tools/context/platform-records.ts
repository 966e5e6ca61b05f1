/** The kinds of records that an agent can look at. */
export const PLATFORM_KINDS = [
  'agents',
  'tools',
  'skills',
  'personas',
  'projects',
  'workflows',
  'schedules',
  'providers',
  'provider_chains',
] as const;

export type PlatformKind = (typeof PLATFORM_KINDS)[number];

/** A record as an agent is shown it, with the fields of its kind. */
export interface InspectedRecord {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly [field: string]: unknown;
}

/**
 * What the user of a call may see of the platform, by the operations of the routes. Throws `ToolFailure` with a message
 * for the model.
 */
export interface PlatformRecords {
  /** Returns the records of a kind, at most 500. */
  list(kind: PlatformKind): Promise<readonly InspectedRecord[]>;
  get(kind: PlatformKind, id: string): Promise<InspectedRecord>;
  /** Returns what the user has used of their budgets. */
  usage(): Promise<unknown>;
}
