import { type FormatOptions, htmlToText } from 'html-to-text';

const ADDRESSED: FormatOptions = { linkBrackets: ['<', '>'], hideLinkHrefIfSameAsText: true };

/**
 * Returns the text of HTML as a person would read it, with headings, lists and tables; `keepsAddresses` writes the
 * address of a link behind its text.
 */
export function plainText(html: string, { keepsAddresses = false } = {}): string {
  const text = htmlToText(html, {
    wordwrap: false,
    limits: { maxInputLength: 1 << 25, maxDepth: 500, maxChildNodes: 100_000 },
    selectors: [
      { selector: 'img', format: 'skip' },
      { selector: 'a', options: keepsAddresses ? ADDRESSED : { ignoreHref: true } },
      { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false } },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    ],
  });
  return text.trim();
}
