/** What a browser keeps of the console, by key. One that keeps nothing, or has no room left, throws nothing. */
export interface Storage {
  read(key: string): string | undefined;
  write(key: string, value: string): void;
  remove(key: string): void;
  keys(): readonly string[];
}

/** What all tabs of this browser share, and keep. */
export const browserStorage = storageOf(() => localStorage);

/** What this tab keeps until it is closed. */
export const tabStorage = storageOf(() => sessionStorage);

// Even naming the storage throws where a browser does not allow it.
function storageOf(of: () => globalThis.Storage): Storage {
  return {
    read: (key) => attempt(() => of().getItem(key)) ?? undefined,
    write: (key, value) => attempt(() => of().setItem(key, value)),
    remove: (key) => attempt(() => of().removeItem(key)),
    keys: () => attempt(() => Object.keys(of())) ?? [],
  };
}

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
