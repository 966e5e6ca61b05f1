import { ownText } from '../../core/text/text-context.tsx';

/** Returns what fields say about what is not saved or not chosen, in the language of the page. */
export const useControlsText = ownText({
  en: {
    unsaved: 'Not saved yet',
    theirs: (words: string) => `Changed by somebody meanwhile to: ${words}`,
    takeTheirs: 'Take it',
    notChosen: (words: string) => `“${words}” was not chosen. Choose an entry of the list with Enter or a click.`,
  },
});
