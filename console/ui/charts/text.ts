import { ownText } from '../../core/text/text-context.tsx';

/** Returns what charts say, in the language of the page. */
export const useChartsText = ownText({
  en: {
    showTable: 'Show as a table',
    day: 'Day',
    total: 'Total',
  },
});
