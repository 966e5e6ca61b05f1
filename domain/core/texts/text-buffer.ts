/** Pieces that are held apart at most; then they become one. */
const MAX_PIECES = 512;

/**
 * A text that arrives in pieces. Strings that are added to each other are kept as a tree of all their parts, thirty
 * times as large as the text when the parts are single characters; here the parts are joined every now and then.
 */
export class TextBuffer {
  #joined = '';
  #pieces: string[] = [];
  #length = 0;

  /** Characters so far. */
  get length(): number {
    return this.#length;
  }

  /** The text so far. */
  get text(): string {
    this.#join();
    return this.#joined;
  }

  add(piece: string): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#pieces.length >= MAX_PIECES) this.#join();
  }

  #join(): void {
    if (this.#pieces.length === 0) return;
    this.#joined += this.#pieces.join('');
    this.#pieces = [];
  }
}
