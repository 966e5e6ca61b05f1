import type { MarkedOptions } from 'marked';

/** A formula in TeX, as it stands in Markdown. */
export interface FormulaToken {
  readonly type: 'formula';
  readonly raw: string;
  /** The formula without its delimiters. */
  readonly text: string;
  /** Whether it stands apart from the words around it. */
  readonly isDisplayed: boolean;
}

/**
 * Text that begins as a formula whose end has not come. It ends with its paragraph, so that text that grows has the
 * same blocks as text that is whole.
 */
interface OpenFormulaToken {
  readonly type: 'plain';
  readonly raw: string;
}

/** How marked finds formulas: `$…$` and `\(…\)` within a line, `$$…$$` and `\[…\]` also as a block. */
export const FORMULAS: NonNullable<MarkedOptions['extensions']> = {
  renderers: {},
  childTokens: {},
  block: [blockFormula],
  startBlock: [nextBlock],
  inline: [inlineFormula],
  startInline: [nextInline],
};

const BLANK_LINE = /\n[ \t]*\n/;

function blockFormula(src: string): FormulaToken | OpenFormulaToken | undefined {
  const [, indent = '', opener = ''] = /^( {0,3})(\$\$(?!\$)|\\\[)/.exec(src) ?? [];
  if (opener === '') return undefined;
  const begin = indent.length + opener.length;
  const closer = opener === '$$' ? '$$' : '\\]';
  const close = src.indexOf(closer, begin);
  const text = close === -1 ? src.slice(begin) : src.slice(begin, close);
  if (text.trim() === '') return undefined;
  if (close === -1 || BLANK_LINE.test(text)) return openFormula(src, begin);
  const lineEnd = src.indexOf('\n', close);
  const end = lineEnd === -1 ? src.length : lineEnd + 1;
  if (src.slice(close + closer.length, end).trim() !== '') return undefined;
  return { type: 'formula', raw: src.slice(0, end), text: text.trim(), isDisplayed: true };
}

// An escaped bracket begins many a text that is no formula: one has a space, or a new line, behind it.
function openFormula(src: string, begin: number): OpenFormulaToken | undefined {
  if (src[begin - 1] === '[' && !/\s/.test(src[begin] ?? '')) return undefined;
  const blank = src.slice(begin).search(BLANK_LINE);
  return { type: 'plain', raw: blank === -1 ? src : src.slice(0, begin + blank + 1) };
}

// Looks no further than the paragraph, which is cut there.
function nextBlock(src: string): number | undefined {
  const end = src.indexOf('\n\n');
  const at = (end === -1 ? src : src.slice(0, end)).search(/\n {0,3}(?:\$\$|\\\[)/);
  return at === -1 ? undefined : at + 1;
}

function inlineFormula(src: string): FormulaToken | undefined {
  if (src.startsWith('$$')) return between(src, '$$', '$$');
  if (src.startsWith('\\(')) return between(src, '\\(', '\\)');
  if (/^\\\[\s/.test(src)) return between(src, '\\[', '\\]');
  return src.startsWith('$') ? betweenDollars(src) : undefined;
}

function between(src: string, opener: string, closer: string): FormulaToken | undefined {
  const close = src.indexOf(closer, opener.length);
  const text = close === -1 ? '' : src.slice(opener.length, close).trim();
  if (text === '') return undefined;
  return { type: 'formula', raw: src.slice(0, close + closer.length), text, isDisplayed: opener !== '\\(' };
}

/** A formula has no space at its ends, and no word or number behind it: `$5 and $6` are two prices. */
const DOLLARS = /^\$((?:[^\\$\n]|\\.)+)\$(?![\p{L}\p{N}])/u;

function betweenDollars(src: string): FormulaToken | undefined {
  const [raw = '', text = ''] = DOLLARS.exec(src) ?? [];
  return text === '' || text.trim() !== text ? undefined : { type: 'formula', raw, text, isDisplayed: false };
}

// Stops where marked does as well, so that no more is looked at than the next words.
function nextInline(src: string): number | undefined {
  const at = src.search(/[$\\<![`*]/);
  return at === -1 ? undefined : at;
}
