/** What the process that extracts a text is told, in one line of JSON before the bytes of the file. */
export interface ExtractionJob {
  readonly mediaType: string;
  /** What a server has said of the file, its encoding among it. */
  readonly contentType?: string;
}

/** The longest text that is kept, in characters. */
export const MAX_TEXT = 2_000_000;

/** A result begins with one of these; then comes the text, or what is wrong with the file. */
export const SAME_TEXT = '~';
export const TEXT_APART = '=';
export const ISSUE = '!';
