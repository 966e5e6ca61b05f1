import { htmlToText } from 'html-to-text';

/** Returns the text of HTML as a person would read it. */
export function plainText(html: string): string {
  const text = htmlToText(html, {
    wordwrap: false,
    limits: { maxInputLength: 1 << 22, maxDepth: 500, maxChildNodes: 100_000 },
    selectors: [
      { selector: 'a', options: { ignoreHref: true } },
      { selector: 'img', format: 'skip' },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    ],
  });
  return text.trim();
}
