/** The request to the process that extracts a text: one line of JSON before the bytes of the file. */
export interface ExtractionJob {
  readonly mediaType: string;
  /** The content type that a server has sent with the file, which may name its encoding. */
  readonly contentType?: string;
}

/** The longest text that is kept, in characters. */
export const MAX_TEXT = 2_000_000;

/** A result begins with one of these; then comes the text, or what is wrong with the file. */
export const SAME_TEXT = '~';
export const TEXT_APART = '=';
export const ISSUE = '!';

/** Collects a text up to the longest that is kept. */
export class TextRoom {
  readonly #parts: string[] = [];
  #left = MAX_TEXT;

  /** Whether nothing more fits, so that the rest need not be read. */
  get isFull(): boolean {
    return this.#left <= 0;
  }

  add(text: string): void {
    if (this.isFull) return;
    this.#parts.push(text.slice(0, this.#left));
    this.#left -= text.length;
  }

  get text(): string {
    const text = this.#parts.join('');
    const notice = `\n[The text continues. Only its first ${MAX_TEXT.toLocaleString('en')} characters are kept.]`;
    return this.#left < 0 ? text + notice : text;
  }
}
