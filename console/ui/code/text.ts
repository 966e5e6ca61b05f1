import { ownText } from '../../core/text/text-context.tsx';

/** Returns what blocks of code and buttons that copy say, in the language of the page. */
export const useCodeText = ownText({
  en: {
    copy: 'Copy',
    copied: 'Copied',
    copyFailed: 'Could not copy',
    copyByKeys: 'Copy this text with Ctrl+C or ⌘C',
    code: (language: string) => (language === '' ? 'Code' : `Code, ${language}`),
  },
});
