/**
 * Follows JSON text as it comes, only as far as needed to say where it ends: whether it is inside a string, and how
 * deep inside objects and lists. Never throws; whether the text is valid JSON is for a parser to say.
 */
export class JsonScanner {
  #isInString = false;
  #isEscaped = false;
  #depth = 0;
  #hasBegun = false;

  get isInString(): boolean {
    return this.#isInString;
  }

  /** Whether all that was opened has been closed again. */
  get isBalanced(): boolean {
    return this.#hasBegun && this.#depth <= 0 && !this.#isInString;
  }

  /**
   * Takes the next text; returns the place in it after which all was closed again, the last one if there are several.
   */
  feed(text: string): number | undefined {
    let end: number | undefined;
    for (let index = 0; index < text.length; index += 1) {
      const character = text.charAt(index);
      if (this.#isInString) this.#inString(character);
      else if (this.#outsideStrings(character)) end = index + 1;
    }
    return end;
  }

  #inString(character: string): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (character === '\\') this.#isEscaped = true;
    else if (character === '"') this.#isInString = false;
  }

  #outsideStrings(character: string): boolean {
    switch (character) {
      case '"':
        this.#isInString = true;
        return false;
      case '{':
      case '[':
        this.#hasBegun = true;
        this.#depth += 1;
        return false;
      case '}':
      case ']':
        this.#depth -= 1;
        return this.isBalanced;
      default:
        return false;
    }
  }
}
