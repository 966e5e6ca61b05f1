import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let live = false;

/** Notes whether the events of the organization are heard. */
export function setLive(isLive: boolean): void {
  if (live === isLive) return;
  live = isLive;
  for (const listener of listeners) listener();
}

/** Returns whether lists are kept up to date by the events of the organization: else they look by themselves. */
export function useLive(): boolean {
  return useSyncExternalStore(subscribe, () => live);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
