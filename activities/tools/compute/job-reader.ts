const NEWLINE = 10;
const BLANK = ' ';

/**
 * Assembles jobs as they arrive: the length of a file, a blank and JSON in one line, then the bytes of the file. The
 * next job comes after the result of this one.
 */
export class JobReader {
  readonly #onJob: (json: string, file: Buffer) => void;
  #chunks: Buffer[] = [];
  #length = 0;
  #head: { readonly json: string; readonly total: number; readonly end: number } | undefined;

  /** `onJob` is called for each whole job. */
  constructor(onJob: (json: string, file: Buffer) => void) {
    this.#onJob = onJob;
  }

  take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    this.#head ??= this.#readHead(chunk);
    if (this.#head === undefined || this.#length < this.#head.total) return;
    const { json, end } = this.#head;
    const file = Buffer.concat(this.#chunks).subarray(end);
    this.#chunks = [];
    this.#length = 0;
    this.#head = undefined;
    this.#onJob(json, file);
  }

  // Only the newest piece can hold the end of the line.
  #readHead(newest: Buffer) {
    const at = newest.indexOf(NEWLINE);
    if (at === -1) return undefined;
    const end = this.#length - newest.length + at + 1;
    const line = Buffer.concat(this.#chunks, end).toString();
    const blank = line.indexOf(BLANK);
    return { json: line.slice(blank + 1), total: end + Number(line.slice(0, blank)), end };
  }
}
