import { useMemo, useSyncExternalStore } from 'react';
import { browserStorage } from './browser/browser.ts';
import { useSession } from './session/session-context.tsx';

const PREFIX = 'everturn.draft.';

/** What somebody has typed until it is sent, also when the page is closed. One key is one form, composer or message. */
export interface Drafts {
  /** Returns a draft; '' when there is none. */
  read(key: string): string;
  /** Keeps a draft; '' removes it. */
  write(key: string, text: string): void;
  /** Returns the keys that begin so, in order. */
  keys(prefix: string): readonly string[];
}

/** Returns the drafts of a user in this browser: those of others are not found under any key. */
export function draftsOf(userId: string | undefined): Drafts {
  const own = `${PREFIX}${userId ?? ''}.`;
  return {
    read: (key) => browserStorage.read(own + key) ?? '',
    write: (key, text) => (text === '' ? browserStorage.remove(own + key) : browserStorage.write(own + key, text)),
    keys: (prefix) => {
      const found = browserStorage.keys().filter((key) => key.startsWith(own + prefix));
      return found.map((key) => key.slice(own.length)).toSorted();
    },
  };
}

/** Removes the drafts of all users, as at signing out: the next person at this browser is not to read them. */
export function clearDrafts(): void {
  for (const key of browserStorage.keys()) if (key.startsWith(PREFIX)) browserStorage.remove(key);
}

/** Returns the drafts of the signed-in user. */
export function useDrafts(): Drafts {
  const { userId } = useSession();
  return useMemo(() => draftsOf(userId), [userId]);
}

/** A draft that is shown where it is read: what only changes it is not rendered anew for each key. */
export interface Draft {
  /** Returns the text; '' when there is none. */
  readonly read: () => string;
  readonly write: (text: string) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

function draftOf(drafts: Drafts, key: string): Draft {
  const listeners = new Set<() => void>();
  let text = drafts.read(key);
  return {
    read: () => text,
    write: (changed) => {
      text = changed;
      drafts.write(key, changed);
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Returns a draft, as it was kept in this browser, as long as the component is shown. */
export function useDraft(key: string): Draft {
  const drafts = useDrafts();
  return useMemo(() => draftOf(drafts, key), [drafts, key]);
}

/** Returns the text of a draft, and renders anew when it changes. */
export function useDraftText({ subscribe, read }: Draft): string {
  return useSyncExternalStore(subscribe, read);
}
