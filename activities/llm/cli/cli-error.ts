import { ReportedError } from '../failures/reported-error.ts';
import { parseJson } from '../transport/json.ts';

/** What programs say of errors whose status they do not tell. */
const SAID: readonly (readonly [words: RegExp, status: number])[] = [
  [
    /\b401\b|unauthori[sz]ed|not logged in|log ?in again|sign(ed)? ?in again|token (has |is )?(been )?(expired|revoked|invalidated)|invalid_grant|\/login\b|oauth\/token/i,
    401,
  ],
  [/\b429\b|usage limit|rate limit|quota|too many requests/i, 429],
  [/\b(?:529|503)\b|overloaded/i, 529],
];

/** Returns the error that a program tells of, in the form of one that came over HTTP. */
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
