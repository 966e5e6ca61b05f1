/** What the fields say that are not plain text, in English. */
export const fieldsText = {
  increase: 'Increase',
  decrease: 'Decrease',
  nothingFound: 'Nothing found',
  none: 'None',
  gone: 'No longer there',
};
