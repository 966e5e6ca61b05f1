import { ToolFailure } from '../../../tool-failure.ts';
import { type Account, saidBy } from '../connections.ts';
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

/**
 * The bytes that a database server may send before the statement itself: libraries make an object of each row of what
 * is asked then.
 */
export const MAX_PRELUDE_BYTES = 256 * 1024;

/** The codes that a server gives to the refusals that mean something of their own. */
interface RefusalCodes {
  readonly tooLong: readonly (string | number)[];
  /** Of a statement that would change something where nothing may change. */
  readonly readOnly: string | number;
}

interface Refusal {
  /** The name of the server, for people. */
  readonly service: string;
  readonly code: string | number;
  readonly codes: RefusalCodes;
}

/** Returns the failure that a refusal of a database server is, in its words. */
export function sqlFailure(
  error: unknown,
  account: Pick<Account, 'mask'>,
  { service, code, codes }: Refusal,
): ToolFailure {
  if (codes.tooLong.includes(code))
    return new ToolFailure('timeout', 'The statement has taken too long', { cause: error });
  const said = saidBy(account, error);
  const options = { cause: error, isForeign: true };
  return code === codes.readOnly
    ? new ToolFailure('denied', `${said}; with \`write\` it runs where that is allowed`, options)
    : new ToolFailure('invalid_input', `${service} refuses the statement: ${said} (${code})`, options);
}
