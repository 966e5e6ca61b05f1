import { useSyncExternalStore } from 'react';
import { browserStorage } from './browser/browser.ts';

/** How the page looks: as the system does, or always light or dark. */
export type Theme = 'system' | 'light' | 'dark';

/** The themes, in the order in which they are offered. */
export const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

const KEY = 'everturn.theme';
const listeners = new Set<() => void>();

/** Returns the theme that was chosen in this browser. `theme.js` sets it before the first paint. */
export function chosenTheme(): Theme {
  const kept = browserStorage.read(KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

/** Shows a theme, and keeps it for this browser. */
export function chooseTheme(theme: Theme): void {
  if (theme === 'system') {
    browserStorage.remove(KEY);
    delete document.documentElement.dataset['theme'];
  } else {
    browserStorage.write(KEY, theme);
    document.documentElement.dataset['theme'] = theme;
  }
  for (const listener of listeners) listener();
}

/** Returns the chosen theme, and renders anew when another one is chosen. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, chosenTheme);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
