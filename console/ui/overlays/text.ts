import { ownText } from '../../core/text/text-context.tsx';

/** Returns what windows that ask or warn say, in the language of the page. */
export const useOverlaysText = ownText({
  en: {
    typeName: (name: string) => `Type ${name} to go on`,
    nameFirst: 'Type the name first.',
    shownOnce: 'This is shown only now. Whoever has it can use it.',
    stored: 'I have copied it',
  },
});
