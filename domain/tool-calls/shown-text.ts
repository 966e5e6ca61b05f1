// More white space than this in a row is shown at once, so that a reply of blanks is not held back whole.
const MAX_HELD_CHARACTERS = 1_000;
const GAP = '\n\n';

/**
 * Collects the part of a reply that viewers see: the text around fenced calls. One empty line replaces a call between
 * two texts, and no white space is left at its sides. White space is held back until text follows it.
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

  /** Notes that a call stands here. */
  cut(): void {
    this.#held = '';
    this.#isAfterCall = true;
  }

  /** Returns the text that can be shown now; each character is returned once. */
  take(): string {
    const ready = this.#ready;
    this.#ready = '';
    return ready;
  }

  /** Returns all that is left; white space at the end goes with it, unless `isTrimmed`. */
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
