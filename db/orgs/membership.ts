/** A membership: its user and its organization. */
export interface Membership {
  readonly orgId: string;
  readonly userId: string;
}
