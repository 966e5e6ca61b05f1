import { ownText } from '../../core/text/text-context.tsx';

/** Returns what lists of files say, in the language of the page. */
export const useFilesText = ownText({
  en: {
    waiting: 'waits',
    progress: (name: string) => `Upload of ${name}`,
    failed: (why: string) => `was not uploaded: ${why}`,
    offline: 'the server cannot be reached',
    retry: 'Send again',
    remove: (name: string) => `Remove ${name}`,
  },
});
