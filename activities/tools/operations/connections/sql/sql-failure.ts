import { ToolFailure } from '../../../tool-failure.ts';
import { saidBy } from '../connection-failure.ts';
import type { Account } from '../connections.ts';

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
