declare module '@joplin/turndown-plugin-gfm' {
  import type { Plugin } from 'turndown';

  /** Adds tables, crossed out text and task lists. */
  export const gfm: Plugin;
}
