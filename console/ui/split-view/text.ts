import { ownText } from '../../core/text/text-context.tsx';

/** Returns what a list beside a detail says, in the language of the page. */
export const useSplitText = ownText({
  en: {
    next: 'Next in the list',
    previous: 'Previous in the list',
    width: 'Width of the list',
    back: 'Back to the list',
  },
});
