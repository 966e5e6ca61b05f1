const last = new Map<string, Promise<unknown>>();

/**
 * Does work of one name after other work of that name is done, in all tabs of this browser. Pages over plain HTTP have
 * no locks: there the turns are taken within the tab only.
 */
export async function oneAtATime<T>(name: string, work: () => Promise<T>): Promise<T> {
  const locks = navigator.locks as LockManager | undefined;
  if (locks !== undefined) return locks.request(name, work);
  const done = (last.get(name) ?? Promise.resolve()).then(work);
  last.set(
    name,
    done.catch(() => undefined),
  );
  return done;
}
