/**
 * The text of a running answer, as the sockets that were opened one after the other tell it: no part is lost, doubled
 * or blanked.
 *
 * Each opened socket begins an epoch, and tells the text from its beginning. What is shown stays meanwhile: a new
 * attempt at the answer may be shorter at first, and is only shown where it says something else, or more.
 */
export class LiveText {
  // Later chunks are joined when they are read: a chunk costs the same however long the text is.
  #joined = '';
  #chunks: string[] = [];
  #length = 0;
  // How much of the text the newest socket has told.
  #received = 0;

  /** The whole text. */
  get text(): string {
    if (this.#chunks.length > 0) {
      this.#joined += this.#chunks.join('');
      this.#chunks = [];
    }
    return this.#joined;
  }

  /** UTF-16 code units of the text. */
  get length(): number {
    return this.#length;
  }

  /** Expects the text from its beginning, from a new socket. */
  beginEpoch(): void {
    this.#received = 0;
  }

  /**
   * Takes the part of the text at `offset`, in UTF-16 code units; what the socket has told before is not taken twice.
   * Returns false when a part before it is missing: only a new socket can tell it.
   */
  take(offset: number, content: string): boolean {
    if (offset > this.#received) return false;
    const news = content.slice(this.#received - offset);
    const from = this.#received;
    this.#received += news.length;
    if (from === this.#length) this.#append(news);
    else if (!this.text.startsWith(news, from)) this.#replace(this.text.slice(0, from) + news);
    return true;
  }

  #append(news: string): void {
    if (news === '') return;
    this.#chunks.push(news);
    this.#length += news.length;
  }

  #replace(text: string): void {
    this.#joined = text;
    this.#chunks = [];
    this.#length = text.length;
  }
}
