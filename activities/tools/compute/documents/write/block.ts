/** A piece of text in one style. */
export interface Span {
  readonly text: string;
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly strike?: boolean;
  readonly code?: boolean;
  /** An address by http, https or mailto. */
  readonly link?: string;
}

export type Align = 'left' | 'center' | 'right';

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
