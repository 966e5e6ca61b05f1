/** The step of an attempt at a turn: who stores something names the one it was begun with. */
export interface StepRef {
  readonly orgId: string;
  readonly turnId: string;
  readonly attempt: number;
  readonly step: number;
}
