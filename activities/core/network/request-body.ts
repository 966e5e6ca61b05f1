/** Larger than most bodies. */
const CHUNK_BYTES = 256 * 1024;

/**
 * The body of a request, which is sent once: it is given up as soon as it is sent, since the response may take minutes
 * to begin.
 */
export class RequestBody {
  readonly byteLength: number;
  readonly #onSent: () => void;
  #bytes: Uint8Array | undefined;

  /** @param onSent called when the last byte was taken, and the body is given up. */
  constructor(bytes: Uint8Array, onSent: () => void = () => undefined) {
    this.byteLength = bytes.byteLength;
    this.#bytes = bytes;
    this.#onSent = onSent;
  }

  /** Its bytes; none once it is sent. */
  get bytes(): Uint8Array {
    return this.#bytes ?? new Uint8Array();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, undefined> {
    for (let at = 0; at < this.byteLength; at += CHUNK_BYTES) yield this.bytes.subarray(at, at + CHUNK_BYTES);
    this.#bytes = undefined;
    this.#onSent();
  }
}
