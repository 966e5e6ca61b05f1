/** The words of the parts that know nothing of the product. */
export const words = {
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: 'Could not copy',
  code: (language: string) => (language === '' ? 'Code' : `Code, ${language}`),
  table: 'Table',
  picture: (description: string) => (description === '' ? 'Picture' : `Picture: ${description}`),
};
