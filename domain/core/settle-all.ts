/** Waits until all have ended. Then it returns their results, or throws the first error among them. */
export async function settleAll<T>(promises: Iterable<PromiseLike<T>>): Promise<T[]> {
  const settled = await Promise.allSettled(promises);
  return settled.map((result) => {
    if (result.status === 'fulfilled') return result.value;
    throw result.reason;
  });
}
