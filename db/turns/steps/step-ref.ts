/** An attempt at a step of a turn: every write names the one it began with. */
export interface StepRef {
  readonly orgId: string;
  readonly turnId: string;
  readonly attempt: number;
  readonly step: number;
}
