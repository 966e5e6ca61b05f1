import { useSyncExternalStore } from 'react';
import { browserStorage } from '../../core/browser/storage.ts';

/** The key that sends a message: Enter, or Enter with Ctrl or ⌘, and the other one begins a new line. */
export type SendKey = 'enter' | 'mod-enter';

const KEY = 'everturn.send-key';
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function chosen(): SendKey {
  return browserStorage.read(KEY) === 'mod-enter' ? 'mod-enter' : 'enter';
}

/** Returns the key that sends messages in this browser. */
export function useSendKey(): SendKey {
  return useSyncExternalStore(subscribe, chosen);
}

/** Chooses the key that sends messages, for this browser. */
export function chooseSendKey(key: SendKey): void {
  if (key === 'enter') browserStorage.remove(KEY);
  else browserStorage.write(KEY, key);
  for (const listener of listeners) listener();
}
