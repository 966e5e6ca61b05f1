/** A line of what a person is shown of a call, beside its arguments, when they decide about it. */
export interface CallDetail {
  readonly label: string;
  readonly value: string;
}
