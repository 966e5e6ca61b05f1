import { ownText } from '../core/text/text-context.tsx';

/** Returns what priorities are called, in the language of the page. */
export const usePrioritiesText = ownText({
  en: {
    label: 'Priority',
    names: { low: 'Low', medium: 'Medium', high: 'High', urgent: 'Urgent' },
  },
});
