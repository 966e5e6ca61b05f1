/** A job about a document, whose bytes come with it. */
export type DocumentJob =
  | MailReadJob
  | PdfReadJob
  | DocxReadJob
  | XlsxReadJob
  | PdfCreateJob
  | DocxCreateJob
  | XlsxWriteJob;

/** Reads a mail. */
export interface MailReadJob {
  readonly kind: 'mail_read';
  /** The indexes of attachments whose contents are wanted instead. */
  readonly attachments?: readonly number[] | undefined;
}

/** Reads pages of a PDF. */
export interface PdfReadJob {
  readonly kind: 'pdf_read';
  /** Such as `1-3,7,20-`; all unless given. */
  readonly pages?: string | undefined;
  /** No page is begun once so many were read. */
  readonly maxCharacters: number;
}

/** Reads a Word document. */
export interface DocxReadJob {
  readonly kind: 'docx_read';
  readonly format: TextFormat;
}

/** Reads cells of a workbook. */
export interface XlsxReadJob {
  readonly kind: 'xlsx_read';
  /** The name of a sheet or its number, from 1; the first one unless given. */
  readonly sheet?: string | undefined;
  /** Such as `A1:D20`, `B:C` or `5:90`; all unless given. */
  readonly range?: string | undefined;
  /** Whether the first row of the range names the columns. */
  readonly header: boolean;
  readonly limit: number;
  readonly maxCharacters: number;
}

/** The content of a document: Markdown, or blocks. */
export interface DocumentContent {
  readonly title: string;
  readonly markdown?: string | undefined;
  readonly blocks?: readonly BlockSpec[] | undefined;
}

/** A block of a document; its texts are Markdown within a line. */
export interface BlockSpec {
  readonly type: BlockType;
  readonly text?: string | undefined;
  /** Of a heading, from 1. */
  readonly level?: number | undefined;
  /** Of a list. */
  readonly items?: readonly string[] | undefined;
  readonly ordered?: boolean | undefined;
  /** Of a table; the first one is its head. */
  readonly rows?: readonly (readonly string[])[] | undefined;
}

export const BLOCK_TYPES = ['heading', 'paragraph', 'list', 'table', 'code', 'quote', 'line', 'page_break'] as const;
export type BlockType = (typeof BLOCK_TYPES)[number];

/** The sizes of pages. */
export const PAGE_SIZES = ['A4', 'A3', 'A5', 'Letter', 'Legal'] as const;

/** Makes a PDF. */
export interface PdfCreateJob extends DocumentContent {
  readonly kind: 'pdf_create';
  readonly pageSize: (typeof PAGE_SIZES)[number];
  readonly landscape: boolean;
}

/** Makes a Word document, of a template where one comes with the job. */
export interface DocxCreateJob extends DocumentContent {
  readonly kind: 'docx_create';
  /** The values of a template's placeholders, beside its content and title. */
  readonly values: Readonly<Record<string, string>>;
}

/** Makes a workbook. */
export interface XlsxWriteJob {
  readonly kind: 'xlsx_write';
  readonly sheets: readonly SheetSpec[];
}

/** A sheet of a workbook that is made. */
export interface SheetSpec {
  readonly name?: string | undefined;
  /** Lists of cells, or records. */
  readonly rows: readonly unknown[];
  /** Whether the first row is set apart; records have one unless this is false. */
  readonly header?: boolean | undefined;
  /** In characters, by column. */
  readonly widths?: readonly number[] | undefined;
  /** Such as `0.00`, by column. */
  readonly formats?: readonly string[] | undefined;
}

/** The formats of a text with headings, lists and tables. */
export const TEXT_FORMATS = ['markdown', 'html', 'text'] as const;
export type TextFormat = (typeof TEXT_FORMATS)[number];
