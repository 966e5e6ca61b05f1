import { createContext, type ReactNode } from 'react';

/** How a text shows the files that it names by a path. */
export interface OwnFiles {
  readonly link: (path: string, words: ReactNode) => ReactNode;
  readonly picture: (path: string, description: string) => ReactNode;
}

/** How the texts within show the files that they name; without it they stay as they were written. */
export const OwnFilesContext = createContext<OwnFiles | undefined>(undefined);

/** Returns the path that an address in a text is; undefined for one that leads elsewhere, or up. */
export function pathOf(address: string): string | undefined {
  const given = address.trim();
  if (URL.parse(given) !== null || /^[/\\#?]/.test(given)) return undefined;
  try {
    const parts = decodeURIComponent(given).split('/');
    const path = parts.filter((part) => part !== '.').join('/');
    return path === '' || parts.includes('..') ? undefined : path;
  } catch {
    return undefined;
  }
}
