import type { CliProvider } from '../../../../domain/providers/credential-forms.ts';
import type { TokenUsage } from '../../../../domain/turns.ts';
import { ReportedError } from '../../failures/reported-error.ts';
import type { EndReason } from '../../model-adapter.ts';
import { asCount, parseJson } from '../../transport/json.ts';

/** A call of a model by a command-line program. */
interface CliRequest {
  readonly model: string;
  readonly systemPrompt: string;
  readonly maxTokens: number;
}

/** How a program is started. */
export interface CliStart {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Texts that it finds in its home folder, beside the credentials. */
  readonly files: Readonly<Record<string, string>>;
  /** Whether it speaks with people in a terminal only. */
  readonly isTerminal?: true;
  /** Finds the code that a person who signs in enters at the page, where there is one. */
  readonly userCode?: RegExp;
}

/** Reads what a program writes about one call. */
export interface CliReader {
  /** Reads a parsed line; returns the text in it, '' for none. Throws `ReportedError` for an error that it reports. */
  read(line: unknown): string;
  /** Set when the reply is complete; the program may be ended then. */
  readonly reason: EndReason | undefined;
  /** Undefined when the program reported none. */
  readonly usage: TokenUsage | undefined;
}

/** How a person signs in with a program. */
interface CliLogin {
  /** The ways to begin, the best first: the next one is taken when one ends without an address. */
  readonly starts: readonly CliStart[];
  /** The hosts of pages where people sign in. */
  readonly pages: readonly string[];
  /** How the program takes the code that the person comes back with. */
  readonly takes: 'code' | 'code#state' | 'callback';
}

/** A vendor's command-line program. */
export interface CliProgram {
  readonly provider: CliProvider;
  /** Its name at the vendor. */
  readonly name: string;
  /** Its file, where programs are installed. */
  readonly file: string;
  /** The oldest version that these calls were tried with. */
  readonly minVersion: readonly [major: number, minor: number];
  /** The hosts that it may reach. */
  readonly hosts: readonly string[];
  /** The files of its home folder that contain a sign-in, all JSON. The first one makes an account. */
  readonly credentialFiles: readonly [string, ...string[]];
  /** Whether it does not stream its answers, however long they take. */
  readonly isWhole: boolean;
  readonly login: CliLogin;
  toStart(request: CliRequest): CliStart;
  createReader(): CliReader;
  /** Returns the HTTP status that its exit code, or its last words, mean; undefined when they mean none. */
  statusOfEnd(exitCode: number | null): number | undefined;
}

/** The names of a program's token counts. */
interface CountNames {
  readonly cached: string;
  readonly reasoning?: string;
}

/** Returns the usage that a program reports at its end; undefined when it reports none. */
export function countedUsage(
  reported: Readonly<Record<string, unknown>>,
  { cached, reasoning = '' }: CountNames,
): TokenUsage | undefined {
  const [inputTokens, outputTokens] = [asCount(reported['input_tokens']), asCount(reported['output_tokens'])];
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const [cachedInputTokens, reasoningTokens] = [asCount(reported[cached]), asCount(reported[reasoning])];
  return {
    inputTokens,
    outputTokens,
    estimated: false,
    ...(cachedInputTokens !== undefined && { cachedInputTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
  };
}

/** The errors that programs report without a status. */
const SAID: readonly (readonly [words: RegExp, status: number])[] = [
  [
    /\b401\b|unauthori[sz]ed|not logged in|log ?in again|sign(ed)? ?in again|token (has |is )?(been )?(expired|revoked|invalidated)|invalid_grant|\/login\b|oauth\/token/i,
    401,
  ],
  [/\b429\b|usage limit|rate limit|quota|too many requests/i, 429],
  [/\b(?:529|503)\b|overloaded/i, 529],
];

/** Returns the error that a program reports, in the form of one that came over HTTP. */
export function cliError(said: string, status?: number): ReportedError {
  const body = jsonIn(said) ?? said;
  const known = status ?? new ReportedError(body).status ?? SAID.find(([words]) => words.test(said))?.[1];
  return new ReportedError(body, known === undefined ? undefined : { status: known, headers: new Headers() });
}

// Some wrap what the server has sent into words of their own.
function jsonIn(said: string): unknown {
  const [start, end] = [said.indexOf('{'), said.lastIndexOf('}')];
  return start === -1 || end < start ? undefined : parseJson(said.slice(start, end + 1));
}
