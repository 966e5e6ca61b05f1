import { browserStorage } from './browser/storage.ts';

/** How the page looks: as the system does, or always light or dark. */
export type Theme = 'system' | 'light' | 'dark';

const KEY = 'everturn.theme';

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
}
