import { ownText } from '../../core/text/text-context.tsx';

/** Returns what the fields say that are not plain text, in the language of the page. */
export const useFieldsText = ownText({
  en: {
    increase: 'Increase',
    decrease: 'Decrease',
    nothingFound: 'Nothing found',
    none: 'None',
    gone: 'No longer there',
    remove: (name: string) => `Remove ${name}`,
  },
});
