/** What editors say, in English. */
export const editorText = {
  leave: 'Press Escape, then Tab, to leave the editor.',
  loading: 'Loading the editor',
  notJson: (line: number) => `Line ${line} is not JSON from here on.`,
  notFitting: 'This has to be an object: { "name": "value" }.',
};
