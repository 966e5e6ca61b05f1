/** A run of text in one style. */
export interface Span {
  readonly text: string;
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly strike?: boolean;
  readonly code?: boolean;
  /** An address by http, https or mailto. */
  readonly link?: string;
}

type Align = 'left' | 'center' | 'right';

/** A part of a document. */
export type Block =
  | { readonly type: 'heading'; readonly level: number; readonly spans: readonly Span[] }
  | { readonly type: 'paragraph'; readonly spans: readonly Span[] }
  | {
      readonly type: 'list';
      readonly ordered: boolean;
      readonly start: number;
      readonly items: readonly (readonly Block[])[];
    }
  | {
      readonly type: 'table';
      /** The first one is its head. */
      readonly rows: readonly (readonly (readonly Span[])[])[];
      readonly align: readonly Align[];
    }
  | {
      readonly type: 'code';
      readonly text: string;
      /** The language that its Markdown names. */
      readonly language?: string;
    }
  | { readonly type: 'quote'; readonly blocks: readonly Block[] }
  | { readonly type: 'line' }
  | { readonly type: 'page_break' };

/** The least and the most characters that a column is counted for, and the longest word that is not broken. */
const [LEAST, MOST, WORD] = [6, 45, 20];

/** Returns the widths of a table's columns in percent: by their texts, and none much too narrow. */
export function columnShares(rows: readonly (readonly string[])[]): number[] {
  const weights = (rows[0] ?? []).map((_, column) =>
    rows.reduce((widest, row) => Math.max(widest, weightOf(row[column] ?? '')), LEAST),
  );
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => Math.floor((weight / sum) * 10_000) / 100);
}

// A long text can be wrapped, a word should not be.
function weightOf(text: string): number {
  const longestWord = text.split(/\s+/).reduce((longest, word) => Math.max(longest, word.length), 0);
  return Math.max(Math.min(text.length, MOST), Math.min(longestWord, WORD)) + 2;
}
