/** Collects what a command writes, up to a length; a large output lies outside the heap. */
export class Capture {
  readonly #maxBytes: number;
  readonly #onFull: () => void;
  #bytes = Buffer.alloc(0);
  #length = 0;

  constructor(maxBytes: number, onFull: () => void) {
    this.#maxBytes = maxBytes;
    this.#onFull = onFull;
  }

  /** Takes the next bytes. Those beyond the length are dropped, and `onFull` is called. */
  take(chunk: Buffer): void {
    const taken = Math.min(chunk.length, this.#maxBytes - this.#length);
    this.#makeRoom(this.#length + taken);
    chunk.copy(this.#bytes, this.#length, 0, taken);
    this.#length += taken;
    if (taken < chunk.length) this.#onFull();
  }

  /** Returns everything that was taken. */
  get content(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  // Chunks may be single bytes, so they are copied together rather than kept.
  #makeRoom(length: number): void {
    if (length <= this.#bytes.length) return;
    const larger = Buffer.alloc(Math.min(this.#maxBytes, Math.max(length, 2 * this.#bytes.length, 4096)));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
