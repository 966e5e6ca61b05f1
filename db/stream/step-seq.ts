/** More events than one model step can bring. */
export const SEQS_OF_STEP = 1_000_000;

/** Where the numbers of a step's events begin: the steps of a turn share one order. */
export function firstSeq(step: number): number {
  return step * SEQS_OF_STEP;
}
