/** What parts say that know nothing of the product, in English. */
export const parts = {
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: 'Could not copy',
  copyByKeys: 'Copy this text with Ctrl+C or ⌘C',
  code: (language: string) => (language === '' ? 'Code' : `Code, ${language}`),
  table: 'Table',
  unsaved: 'Not saved yet',
  theirs: (words: string) => `Changed by somebody meanwhile to: ${words}`,
  takeTheirs: 'Take it',
  remove: (name: string) => `Remove ${name}`,
  picture: (description: string) => (description === '' ? 'Picture' : `Picture: ${description}`),
};
