/** What a list beside a detail says, in English. */
export const splitText = {
  next: 'Next in the list',
  previous: 'Previous in the list',
  width: 'Width of the list',
  back: 'Back to the list',
};
