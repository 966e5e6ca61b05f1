import { ownText } from '../../core/text/text-context.tsx';

/** Returns what texts in Markdown are given besides their own words, in the language of the page. */
export const useMarkdownText = ownText({
  en: {
    table: 'Table',
    picture: (description: string) => (description === '' ? 'Picture' : `Picture: ${description}`),
  },
});
