import { ownText } from '../../core/text/text-context.tsx';

/** Returns what a list that is put in order says, in the language of the page. */
export const useSortableText = ownText({
  en: {
    hint: 'Alt with the arrow up or down moves a row.',
    move: (name: string) => `Move ${name}`,
    up: 'Move up',
    down: 'Move down',
    first: 'Move to the top',
    last: 'Move to the end',
    moved: (name: string, place: number, of: number) => `${name} is now number ${place} of ${of}.`,
  },
});
