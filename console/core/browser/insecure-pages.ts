/** Returns the clipboard; undefined on pages over plain HTTP, which have none. */
export function clipboard(): Clipboard | undefined {
  return navigator.clipboard;
}

/** Returns a new UUID of random bits. Unlike `crypto.randomUUID` it exists on pages over plain HTTP as well. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  // The version (4) and the variant, as RFC 9562 lays them out.
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

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
