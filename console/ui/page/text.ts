import { formatNumber } from '../../core/text/numbers.ts';

/** What the parts of a page say, in English. */
export const pageText = {
  shown: (shown: number, total: number) => `${formatNumber(shown)} of ${formatNumber(total)}`,
  more: 'Load more',
  filters: 'Filters',
  addFilter: 'Add a filter',
  clearFilters: 'Clear all',
  removeFilter: (name: string) => `Remove the filter ${name}`,
};
