/** The audit's finding about one promise. */
export interface Verdict {
  /** Such as `P3`. */
  readonly promise: string;
  readonly claim: string;
  /** The figures, in words. */
  readonly figure: string;
  /** The breaches, each with the ids that lead to it. Undefined when the promise was not checked. */
  readonly breaches: readonly string[] | undefined;
}
