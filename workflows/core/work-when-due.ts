import { condition, defineSignal, setHandler, workflowInfo } from '@temporalio/workflow';
import { WAKE } from './contract.ts';

interface WorkOptions {
  /** Whether a signal leaves the wait as it is, because whoever is to be asked next must be left alone until then. */
  readonly keepsWaits?: boolean;
}

/**
 * Does the work that rows hold each time that it is due, until they hold none. Between two times it waits for the next
 * one, or for a signal that the rows have changed.
 *
 * @param work does what is due, and returns in how many milliseconds the next is; null, or nothing in old histories,
 *   when there is none.
 * @param startAnew continues as new, once the history has become long.
 */
export async function workWhenDue(
  work: () => Promise<number | null>,
  startAnew: () => Promise<never>,
  { keepsWaits = false }: WorkOptions = {},
): Promise<void> {
  let wakes = 0;
  setHandler(defineSignal(WAKE), () => {
    wakes += 1;
  });
  for (;;) {
    const seen = wakes;
    const waitMs = await work();
    // A signal may have come after the work has read the rows.
    if (typeof waitMs !== 'number' && wakes === seen) return;
    if (typeof waitMs === 'number' && waitMs > 0) await condition(() => !keepsWaits && wakes > seen, waitMs);
    if (workflowInfo().continueAsNewSuggested) await startAnew();
  }
}
