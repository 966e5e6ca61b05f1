import { ownText } from '../../core/text/text-context.tsx';

/** Returns what a field of names and values says, in the language of the page. */
export const useEntriesText = ownText({
  en: {
    add: 'Add',
    addTo: (label: string) => `Add to ${label}`,
    name: 'Name',
    nameIn: (label: string) => `${label}: name`,
    value: 'Value',
    valueIn: (name: string) => `Value of ${name}`,
    onePerLine: 'One per line',
    remove: (name: string) => `Remove ${name}`,
    noName: 'Each value needs a name.',
    twice: (name: string) => `“${name}” is there twice.`,
    notJson: (name: string) => `The value of “${name}” is not valid JSON.`,
  },
});

/** What a field of names and values says. */
export type EntriesText = ReturnType<typeof useEntriesText>;
