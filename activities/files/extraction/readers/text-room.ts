import { MAX_TEXT } from '../job.ts';

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
    const notice = `\n[The text goes on. Only its first ${MAX_TEXT.toLocaleString('en')} characters are kept.]`;
    return this.#left < 0 ? text + notice : text;
  }
}
