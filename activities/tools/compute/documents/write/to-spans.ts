import type { Token, Tokens } from 'marked';
import type { Span } from './block.ts';

type Style = Omit<Span, 'text'>;

/** Emphasis nests no deeper in a text that people read. */
const MAX_DEPTH = 20;
const LINK = /^(?:https?:\/\/|mailto:)/i;
const LINE_BREAK = /^<br\s*\/?>$/i;
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/gi;
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00A0' };

/** Returns the text of tokens within a line, without HTML and pictures. */
export function spansOf(tokens: readonly Token[] = [], style: Style = {}, depth = 0): Span[] {
  if (depth > MAX_DEPTH) return plainSpans(tokens.map(({ raw }) => raw).join(''), style);
  return tokens.flatMap((token) => spansOfToken(token as Tokens.Generic, style, depth + 1));
}

function plainSpans(text: string, style: Style = {}): Span[] {
  const clean = printable(text);
  return clean === '' ? [] : [{ text: clean, ...style }];
}

/** The style that each mark adds to the text within it. */
const STYLES: Readonly<Record<string, Style>> = {
  strong: { bold: true },
  em: { italic: true },
  del: { strike: true },
};

function spansOfToken(token: Tokens.Generic, style: Style, depth: number): Span[] {
  const text = String(token['text'] ?? '');
  switch (token.type) {
    case 'codespan':
      return plainSpans(decoded(text), { ...style, code: true });
    case 'br':
      return [{ text: '\n', ...style }];
    case 'image':
      return plainSpans(text === '' ? '' : `[${text}]`, { ...style, italic: true });
    case 'html':
      return plainSpans(textOfHtml(token.raw), style);
    default: {
      if (token.tokens === undefined) return plainSpans(decoded(text).replaceAll('\n', ' '), style);
      const link = token.type === 'link' ? String(token['href']) : '';
      const added = LINK.test(link) ? { link } : STYLES[token.type];
      return spansOf(token.tokens, { ...style, ...added }, depth);
    }
  }
}

function textOfHtml(html: string): string {
  if (LINE_BREAK.test(html.trim())) return '\n';
  const [before = '', ...rest] = html.split('<');
  return decoded(before + rest.map((part) => part.slice(part.indexOf('>') + 1)).join('')).trim();
}

function decoded(text: string): string {
  return text.replaceAll(ENTITY, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole;
    const point = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return point > 0 && point <= 0x10_ff_ff ? String.fromCodePoint(point) : whole;
  });
}

/** Returns a text without what neither XML nor a font has: halves of characters, and most control characters. */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.toWellFormed().replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F\uFFFE\uFFFF]/g, '');
}
