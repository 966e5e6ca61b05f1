/** A user in one of their organizations. */
export interface Membership {
  readonly orgId: string;
  readonly userId: string;
}
