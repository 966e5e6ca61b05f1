import { CommanderError } from 'commander';
import { APIError, AuthenticationError, EverturnError } from '../../sdk/src/index.ts';

/** What the program ends with; scripts rely on the numbers (docs/cli.md). */
export const EXIT = { ok: 0, failed: 1, usage: 2, notSignedIn: 3, interrupted: 130 } as const;

/** Ends the program with an exit code and one sentence. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** Returns what an error means to whoever runs the program; undefined when everything was said already. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error;
  if (error instanceof CommanderError)
    return error.exitCode === 0 ? undefined : new Failure(usageOf(error), EXIT.usage, { cause: error });
  if (error instanceof AuthenticationError)
    return new Failure(
      'The server does not accept your key: it is wrong, has expired or was revoked. Sign in again with "everturn login".',
      EXIT.notSignedIn,
      { cause: error },
    );
  if (error instanceof APIError && error.requestId !== undefined)
    return new Failure(`${error.message} (request ${error.requestId})`, EXIT.failed, { cause: error });
  if (error instanceof EverturnError) return new Failure(error.message, EXIT.failed, { cause: error });
  return new Failure(reasonOf(error), EXIT.failed, { cause: error });
}

function usageOf({ code, message }: CommanderError): string {
  return code === 'commander.help'
    ? 'A command is missing: --help lists them.'
    : message.replace(/^error: /, '').replaceAll('\n', ' ');
}

// Of files and folders the system says enough: `EACCES: permission denied, mkdir '/agents'`.
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { path, message } = error as NodeJS.ErrnoException;
  const reason = /^[A-Z]+: (?<reason>.+?), \w+/.exec(message)?.groups?.['reason'];
  return path === undefined || reason === undefined ? (error.stack ?? message) : `${path}: ${reason}.`;
}

/** Parses a text as a JSON object; undefined when it is none. */
export function parseJsonObject(text: string): Record<string, unknown> | undefined {
  try {
    // Windows begins files with a byte order mark.
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    return undefined;
  }
  return undefined;
}
