import { ownText } from '../../core/text/text-context.tsx';

/** Returns what editors say, in the language of the page. */
export const useEditorText = ownText({
  en: {
    leave: 'Press Escape, then Tab, to leave the editor.',
    loading: 'Loading the editor',
    notJson: (line: number) => `Line ${line} is not JSON from here on.`,
    notFitting: 'This has to be an object: { "name": "value" }.',
  },
});
