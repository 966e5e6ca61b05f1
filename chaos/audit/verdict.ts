/** What the audit found of one promise. */
export interface Verdict {
  /** Such as `P3`. */
  readonly promise: string;
  readonly claim: string;
  /** What was counted, in words. */
  readonly figure: string;
  /** What was broken, each with the ids that lead to it. Undefined when the promise was not looked at. */
  readonly breaches: readonly string[] | undefined;
}
