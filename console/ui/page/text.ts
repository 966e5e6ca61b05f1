const number = new Intl.NumberFormat('en');

/** What the parts of a page say, in English. */
export const pageText = {
  shown: (shown: number, total: number) => `${number.format(shown)} of ${number.format(total)}`,
  more: 'Load more',
  filters: 'Filters',
  addFilter: 'Add a filter',
  clearFilters: 'Clear all',
  removeFilter: (name: string) => `Remove the filter ${name}`,
};
