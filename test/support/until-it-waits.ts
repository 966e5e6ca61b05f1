import type { StepsResult } from '../../workflows/due-work/contract.ts';

/** Repeats work that goes on for some seconds at a time, until nothing of it is left or the rest has to wait. */
export async function untilItWaits(work: () => Promise<StepsResult>): Promise<StepsResult> {
  for (;;) {
    const result = await work();
    if (result.hasEnded || result.waitMs > 0) return result;
  }
}
