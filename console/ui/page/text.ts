import { ownText } from '../../core/text/text-context.tsx';

/** Returns what the parts of a page say, in the language of the page. */
export const usePageText = ownText({
  en: {
    more: 'Load more',
    filters: 'Filters',
    addFilter: 'Add a filter',
    clearFilters: 'Clear all',
    removeFilter: (name: string) => `Remove the filter ${name}`,
  },
});
