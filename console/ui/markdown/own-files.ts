import { createContext, type ReactNode } from 'react';

/** How a text shows the files that it names by a path. */
export interface OwnFiles {
  readonly link: (path: string, words: ReactNode) => ReactNode;
  readonly picture: (path: string, description: string) => ReactNode;
}

/** How the texts within show the files that they name; without it they stay as they were written. */
export const OwnFilesContext = createContext<OwnFiles | undefined>(undefined);
