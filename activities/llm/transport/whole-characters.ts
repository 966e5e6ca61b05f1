const ENDS_IN_HALF = /[\uD800-\uDBFF]$/;

/**
 * Joins characters that a provider split in two: JSON can hold half a surrogate pair, and some servers send an emoji as
 * two deltas.
 */
export class WholeCharacters {
  #half = '';

  /** Returns the text so far that has not been returned yet, without a half character at its end. */
  take(text: string): string {
    if (text === '') return '';
    const whole = this.#half + text;
    const isCut = ENDS_IN_HALF.test(whole);
    this.#half = isCut ? whole.slice(-1) : '';
    return isCut ? whole.slice(0, -1) : whole;
  }

  /** Returns the half character whose other half never came, '' when there is none. */
  rest(): string {
    return this.#half;
  }
}
