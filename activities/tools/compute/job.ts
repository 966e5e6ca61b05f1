import type { DocumentJob, TextFormat } from './documents/document-job.ts';
export type { Block, Span } from './documents/write/block.ts';
import type { VisitRequest } from './pages/may-visit.ts';
import type { FeedRequest } from './pages/read-feed.ts';
import type { PageRequest } from './pages/read-page.ts';

/** A job for a compute process; all of it has input from a model or a stranger. */
export type ComputeJob =
  | {
      readonly kind: 'math';
      readonly expression: string;
      readonly variables: Readonly<Record<string, unknown>>;
      /** Significant digits; without it 14, and whole numbers in full. */
      readonly precision?: number;
    }
  | { readonly kind: 'time'; readonly now: number; readonly given: TimeArguments }
  | {
      readonly kind: 'json_query';
      readonly json: string;
      /** Whether `json` is UTF-8 in base64. */
      readonly isBase64?: boolean;
      readonly expression: string;
    }
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
      /** Whether the server says that `body` is JSON. */
      readonly isJson: boolean;
      readonly expression: string;
    }
  | {
      readonly kind: 'check_arguments';
      readonly parameters: Readonly<Record<string, unknown>>;
      readonly given: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'patch'; readonly content: string; readonly patch: string }
  | {
      readonly kind: 'glob';
      readonly pattern: string;
      readonly paths: readonly string[];
      readonly ignoreFiles: readonly IgnoreFile[];
    }
  | {
      readonly kind: 'search';
      readonly query: string;
      readonly isRegex: boolean;
      /** Contents of files, UTF-8 in base64. */
      readonly texts: readonly string[];
      /** Lines to show before and after each match. */
      readonly context: number;
      /** Most lines that match. */
      readonly limit: number;
    }
  | ({ readonly kind: 'page' } & PageRequest)
  | ({ readonly kind: 'feed' } & FeedRequest)
  | ({ readonly kind: 'may_visit' } & VisitRequest)
  | CsvJob
  | ConvertJob
  | TextJob
  | ArchiveJob
  | ChartJob
  | ImageJob
  | MarkdownJob
  | { readonly kind: 'markdown_blocks'; readonly markdown: string }
  | MarkdownLinksJob
  | DocumentJob;

/** Finds the addresses of links and pictures. */
export interface MarkdownLinksJob {
  readonly kind: 'markdown_links';
  readonly markdown: string;
  /** The most addresses. */
  readonly limit: number;
}

/** Selects, filters and groups the rows of a table. */
export interface CsvJob {
  readonly kind: 'csv';
  /** CSV or TSV in UTF-8, in base64. */
  readonly content: string;
  readonly select?: readonly string[] | undefined;
  readonly where: Readonly<Record<string, unknown>>;
  readonly groupBy: readonly string[];
  /** A call such as `sum(price)`, by the name of the column that is made of it. */
  readonly aggregate: Readonly<Record<string, string>>;
  /** The result is for a file: separated so, and safe to open in a spreadsheet. */
  readonly fileDelimiter?: ',' | '\t' | undefined;
  /** The longest result; rows beyond it are counted only. */
  readonly maxCharacters: number;
}

/** The formats that data is converted between. */
export const DATA_FORMATS = ['json', 'yaml', 'toml', 'xml', 'csv'] as const;
export type DataFormat = (typeof DATA_FORMATS)[number];

/** Converts data, and checks it by a JSON Schema. */
export interface ConvertJob {
  readonly kind: 'convert';
  /** UTF-8 in base64. */
  readonly content: string;
  readonly from: DataFormat;
  readonly to?: DataFormat | undefined;
  readonly schema?: Readonly<Record<string, unknown>> | undefined;
}

/** The actions on a text. */
export const TEXT_ACTIONS = ['match', 'replace', 'split', 'diff', 'case', 'hash', 'encode', 'decode', 'count'] as const;
export type TextAction = (typeof TEXT_ACTIONS)[number];

/** Does one thing with a text; each action has the fields that it needs. */
export interface TextJob {
  readonly kind: 'text';
  /** UTF-8 in base64; hashes and encodings take any bytes. */
  readonly content: string;
  readonly action: TextAction;
  readonly other?: string | undefined;
  readonly pattern?: string | undefined;
  readonly replacement?: string | undefined;
  readonly algorithm?: string | undefined;
}

/** The formats of pictures that are read; all but the last one are written too. */
export type ImageFormat = 'png' | 'jpeg' | 'webp' | 'avif' | 'gif';

/** The operations on a picture. */
export const IMAGE_OPERATIONS = ['resize', 'crop', 'rotate', 'flip', 'flop', 'grayscale'] as const;

/** An operation, with the fields that it needs. */
export interface ImageOperation {
  readonly kind: (typeof IMAGE_OPERATIONS)[number];
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly x?: number | undefined;
  readonly y?: number | undefined;
  readonly degrees?: number | undefined;
}

/** Reads a picture, and re-encodes it where an output format is given. */
export interface ImageJob {
  readonly kind: 'image';
  /** In base64. */
  readonly content: string;
  readonly operations: readonly ImageOperation[];
  readonly output?: ImageFormat | undefined;
  readonly quality: number;
}

/** The types of charts. */
export const CHART_TYPES = ['line', 'bar', 'area', 'pie', 'scatter', 'radar'] as const;

/** A value, a pair of values of a scatter chart, or nothing. */
export type ChartPoint = number | readonly [x: number, y: number] | null;

/** The data of a chart: a value of each series for each label; a scatter chart has no labels. */
export interface ChartData {
  readonly labels: readonly string[];
  readonly series: readonly { readonly name: string; readonly values: readonly ChartPoint[] }[];
}

/** Draws a chart of given data, or of columns of a table. */
export interface ChartJob {
  readonly kind: 'chart';
  readonly type: (typeof CHART_TYPES)[number];
  readonly data?: ChartData | undefined;
  /** CSV in UTF-8, in base64; `x` is its column of labels, `y` are those of the series. */
  readonly content?: string | undefined;
  readonly x?: string | undefined;
  readonly y?: readonly string[] | undefined;
  readonly title?: string | undefined;
  readonly xTitle?: string | undefined;
  readonly yTitle?: string | undefined;
  readonly isStacked: boolean;
  readonly format: 'svg' | 'png';
  readonly width: number;
  readonly height: number;
}

/** The formats of archives that are made. */
export type ArchiveFormat = 'zip' | 'tar' | 'tar.gz';

/** Works with an archive; contents are in base64. */
export type ArchiveJob =
  | { readonly kind: 'list_archive'; readonly content: string }
  | {
      readonly kind: 'unpack';
      readonly content: string;
      /** The indexes of the entries in the list. */
      readonly indexes: readonly number[];
    }
  | { readonly kind: 'pack'; readonly format: ArchiveFormat; readonly files: readonly PackedFile[] };

/** A file that goes into an archive. */
export interface PackedFile {
  readonly path: string;
  readonly content: string;
  /** In milliseconds. */
  readonly modifiedAt: number;
}

/** An entry of an archive, as the archive names it. */
export interface ArchiveEntry {
  readonly path: string;
  readonly size: number;
  readonly type: 'file' | 'folder' | 'link' | 'other';
  /** Whether it is encrypted, or compressed in an unknown way. */
  readonly isLocked: boolean;
}

/** The longest content of one file that goes to a process or comes from it, in bytes. */
export const MAX_CONTENT_BYTES = 15_000_000;

/** Converts HTML or Markdown. */
export interface MarkdownJob {
  readonly kind: 'markdown';
  /** UTF-8 in base64. */
  readonly content: string;
  /** Set for Markdown; other content is recognized by its beginning. */
  readonly isMarkdown?: boolean;
  readonly to: TextFormat;
  /** Whether plain text has the address of each link behind the text of the link. */
  readonly keepsAddresses?: boolean;
}

/** A `.gitignore`: its folder (empty for the top one) and its content. */
export interface IgnoreFile {
  readonly folder: string;
  readonly rules: string;
}

/** Arguments of `time_now`. */
export interface TimeArguments {
  readonly zone?: string | undefined;
  readonly at?: string | undefined;
  readonly add?: string | undefined;
  readonly to_zone?: string | undefined;
  readonly parse?: string | undefined;
  readonly cron?: string | undefined;
}

/** The longest `text` of a result. */
export const MAX_TEXT = 8_000_000;

/** The longest `text` of contents in base64. */
export const MAX_CONTENT_TEXT = 21_000_000;

/** The longest `text` of a tool's result: it is in memory as a whole until it is in the workspace. */
export const MAX_RESULT_TEXT = 2_000_000;

/** A result is a line that begins with one of these; then comes the `text` or the `issue`. */
export const TEXT = '=';
export const ISSUE = '!';

/** `text` is JSON; `issue` says what is wrong with the input. */
export type ComputeResult = { readonly text: string } | { readonly issue: string };

export { BLOCK_TYPES, type DocumentJob, PAGE_SIZES, TEXT_FORMATS } from './documents/document-job.ts';
