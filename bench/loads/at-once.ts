/** Does work so many times, a few at a time, each with its number from 0 on. */
export async function atOnce(count: number, width: number, work: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const workers = Array.from({ length: Math.min(width, count) }, async () => {
    while (next < count) {
      const at = next;
      next += 1;
      await work(at);
    }
  });
  await Promise.all(workers);
}
