import type { VisitRequest } from './pages/may-visit.ts';
import type { FeedRequest } from './pages/read-feed.ts';
import type { PageRequest } from './pages/read-page.ts';

/** A job for a compute process; all of it has input from a model or a stranger. */
export type ComputeJob =
  | {
      readonly kind: 'math';
      readonly expression: string;
      readonly variables: Readonly<Record<string, unknown>>;
      readonly precision: number;
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
  | ConvertJob;

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

/** The longest `text` of a tool's result: it is held whole until it is in the workspace. */
export const MAX_RESULT_TEXT = 2_000_000;

/** A result is a line that begins with one of these; then comes the `text` or the `issue`. */
export const TEXT = '=';
export const ISSUE = '!';

/** `text` is JSON; `issue` says what is wrong with the input. */
export type ComputeResult = { readonly text: string } | { readonly issue: string };
