/** Waits until all have ended. Then it returns their results, or throws the first error among them. */
export async function settleAll<T>(promises: Iterable<PromiseLike<T>>): Promise<T[]> {
  const settled = await Promise.allSettled(promises);
  return settled.map((result) => {
    if (result.status === 'fulfilled') return result.value;
    throw result.reason;
  });
}

const ATTEMPTS = 3;
const PAUSE_MS = 250;

/**
 * Runs `work` until it succeeds, three times at most; throws the last error. For what a process needs before it is
 * ready: while it loads on a busy machine, its own timers may expire although the other side has responded.
 */
export async function retryAtStart<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
