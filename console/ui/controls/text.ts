import { ownText } from '../../core/text/text-context.tsx';

/** Returns what fields say about what is not saved, in the language of the page. */
export const useControlsText = ownText({
  en: {
    unsaved: 'Not saved yet',
    theirs: (words: string) => `Changed by somebody meanwhile to: ${words}`,
    takeTheirs: 'Take it',
  },
});
