// More white space than this in a row is shown at once, so that a reply of blanks is not held back whole.
const MAX_HELD_CHARACTERS = 1_000;
const GAP = '\n\n';

/**
 * What a viewer sees of a reply, piece by piece: the text around fenced calls, with one empty line where a call stood
 * between two texts and no white space left over at its sides. White space is held back until text follows it.
 */
export class ShownText {
  #ready = '';
  #held = '';
  #isAfterCall = false;
  #hasShown = false;

  add(text: string): void {
    const end = text.trimEnd().length;
    if (end > 0) this.#show(text.slice(0, end));
    this.#hold(text.slice(end));
  }

  /** A call stands here. */
  cut(): void {
    this.#held = '';
    this.#isAfterCall = true;
  }

  /** What can be shown now; each character is given once. */
  take(): string {
    const ready = this.#ready;
    this.#ready = '';
    return ready;
  }

  /** All that is left; white space at the end goes with it, unless `isTrimmed`. */
  finish(isTrimmed: boolean): string {
    const rest = this.take();
    return isTrimmed ? rest : rest + this.#held;
  }

  #show(text: string): void {
    if (this.#isAfterCall) this.#ready += (this.#hasShown ? GAP : '') + text.trimStart();
    else this.#ready += this.#held + text;
    this.#held = '';
    this.#isAfterCall = false;
    this.#hasShown = true;
  }

  #hold(blank: string): void {
    if (this.#isAfterCall) return;
    this.#held += blank;
    const excess = this.#held.length - MAX_HELD_CHARACTERS;
    if (excess <= 0) return;
    this.#ready += this.#held.slice(0, excess);
    this.#held = this.#held.slice(excess);
    this.#hasShown = true;
  }
}
