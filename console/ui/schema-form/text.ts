/** What a form from a schema says, in English. */
export const schemaText = {
  onePerLine: 'One on each line.',
  notSet: 'Not set',
};
