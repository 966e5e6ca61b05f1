/** More events than one model step can have. */
export const SEQS_OF_STEP = 1_000_000;

/** Returns the first event number of a step: all steps of a turn share one order. */
export function firstSeq(step: number): number {
  return step * SEQS_OF_STEP;
}
