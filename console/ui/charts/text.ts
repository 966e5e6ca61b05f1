/** What charts say, in English. */
export const chartsText = {
  showTable: 'Show as a table',
  day: 'Day',
  total: 'Total',
};
