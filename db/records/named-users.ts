/** What names a record: how many there are, and the names of the first of them that may be shown. */
export interface NamedUsers {
  readonly total: number;
  readonly names: readonly string[];
}

/** How many of those that name a record are shown. */
export const MAX_NAMED_USERS = 5;
