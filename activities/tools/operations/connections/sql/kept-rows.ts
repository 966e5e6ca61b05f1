import type { SqlAnswer } from './sql-statement.ts';

/** The most that the rows of an answer may hold, as characters of JSON. */
const MAX_CHARACTERS = 2_000_000;

/** The rows of an answer as far as they are wanted and there is room for them. */
export class KeptRows {
  readonly #rows: unknown[][] = [];
  readonly #maxRows: number;
  #characters = 0;
  #isCut = false;

  constructor(maxRows: number) {
    this.#maxRows = maxRows;
  }

  /** Adds a row; returns false when it is one too many. */
  add(row: unknown[]): boolean {
    this.#characters += JSON.stringify(row).length;
    this.#isCut ||= this.#rows.length === this.#maxRows || this.#characters > MAX_CHARACTERS;
    if (!this.#isCut) this.#rows.push(row);
    return !this.#isCut;
  }

  /** Returns the answer that they are. */
  answer(columns: readonly string[], affected: number | null): SqlAnswer {
    return { columns, rows: this.#rows, isCut: this.#isCut, affected };
  }
}

/** Returns bytes as JSON has them. */
export function bytesAsJson(bytes: Buffer): { readonly base64: string } {
  return { base64: bytes.toString('base64') };
}
