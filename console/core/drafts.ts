import { useCallback, useState } from 'react';

const PREFIX = 'everturn.draft.';

/** Keeps what somebody has typed until it is sent, also when the page is closed. One key is one form or composer. */
export const drafts = {
  read: (key: string): string => attempt(() => localStorage.getItem(PREFIX + key)) ?? '',
  write: (key: string, text: string): void => {
    attempt(() => (text === '' ? localStorage.removeItem(PREFIX + key) : localStorage.setItem(PREFIX + key, text)));
  },
  /** Removes all drafts, as at signing out: the next person at this browser is not to read them. */
  clear: (): void => {
    attempt(() => {
      for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
    });
  },
};

/** Returns the draft of a form and what changes it. */
export function useDraft(key: string): readonly [string, (text: string) => void] {
  const [text, setText] = useState(() => drafts.read(key));
  const change = useCallback(
    (changed: string) => {
      setText(changed);
      drafts.write(key, changed);
    },
    [key],
  );
  return [text, change];
}

// A browser may keep nothing, or have no room left: what is typed is then lost with the page, and nothing else.
function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
