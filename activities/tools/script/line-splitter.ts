const NEWLINE = 10;

/** Cuts a stream of bytes into lines, as far as they stay within a length. */
export class LineSplitter {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the lines that a chunk completes; undefined when a line is too long. */
  take(chunk: Buffer): readonly string[] | undefined {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      lines.push(Buffer.concat([...this.#chunks, chunk.subarray(start, end)]).toString());
      this.#chunks = [];
      this.#bytes = 0;
      start = end + 1;
    }
    this.#chunks.push(chunk.subarray(start));
    this.#bytes += chunk.length - start;
    return this.#bytes > this.#maxBytes ? undefined : lines;
  }
}
