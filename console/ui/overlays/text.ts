/** What windows that ask or warn say, in English. */
export const overlaysText = {
  typeName: (name: string) => `Type ${name} to go on`,
  nameFirst: 'Type the name first.',
  shownOnce: 'This is shown only now. Whoever has it can use it.',
  stored: 'I have copied it',
};
