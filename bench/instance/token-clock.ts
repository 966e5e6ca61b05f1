/** A token that says when it was written, in milliseconds since the epoch with fractions. */
export function writeToken(at: number): string {
  return `${Math.round(at * 1000).toString(36)} `;
}

/** Reads when the tokens of a text were written that arrives in chunks, however they are cut. */
export class TokenReader {
  #rest = '';

  read(chunk: string): number[] {
    const words = (this.#rest + chunk).split(' ');
    this.#rest = words.pop() ?? '';
    return words.map((word) => Number.parseInt(word, 36) / 1000);
  }
}
