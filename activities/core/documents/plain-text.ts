import { htmlToText } from 'html-to-text';

/** Returns the text of HTML as a person would read it, with headings, lists and tables. */
export function plainText(html: string): string {
  const text = htmlToText(html, {
    wordwrap: false,
    limits: { maxInputLength: 1 << 25, maxDepth: 500, maxChildNodes: 100_000 },
    selectors: [
      { selector: 'img', format: 'skip' },
      { selector: 'a', options: { ignoreHref: true } },
      { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false } },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    ],
  });
  return text.trim();
}
