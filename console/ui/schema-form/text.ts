import { ownText } from '../../core/text/text-context.tsx';

/** Returns what a form from a schema says, in the language of the page. */
export const useSchemaText = ownText({
  en: {
    onePerLine: 'One on each line.',
    notSet: 'Not set',
  },
});
