/** Opens something, works with it, and closes it, however the work ends. */
export async function holding<R extends AsyncDisposable, T>(
  opening: Promise<R>,
  work: (open: R) => Promise<T>,
): Promise<T> {
  const open = await opening;
  try {
    return await work(open);
  } finally {
    await open[Symbol.asyncDispose]();
  }
}
