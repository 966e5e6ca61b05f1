const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;

/**
 * Headers that belong to a connection, or say where a message on it ends (RFC 9110, section 7.6.1; RFC 9112, section
 * 6).
 */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
]);

/** The methods that change nothing, and whose requests have no body. */
export const READING_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Returns whether a text can be the name of a header. */
export function isHeaderName(text: string): boolean {
  return TOKEN.test(text);
}

/** Returns whether a header is set by the client that keeps the connection, never by the sender of a request. */
export function isConnectionHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return OF_CONNECTION.has(lower) || lower.startsWith('proxy-');
}

const MAX_WAIT_MS = 24 * 60 * 60 * 1000;

// RFC 9110, section 5.6.7: the present form and the two obsolete ones. `Date.parse` alone takes nearly anything.
const HTTP_DATE = /^[A-Z][a-z]{2,8},? .*\d{2}:\d{2}:\d{2}/;

/** Longer than any valid form. Longer text is invalid, and could exhaust the stack of a pattern. */
const MAX_CHARACTERS = 100;

/** The headers of an answer, by name in lower case. */
interface AnswerHeaders {
  get(name: string): string | null | undefined;
}

/**
 * Returns the delay that a server asks for, in milliseconds, at most a day: in its headers, or as Google writes it
 * among the details of an error (`3.5s`). Undefined when it asks for none, or the value makes no sense.
 */
export function retryAfterMs(headers: AnswerHeaders | undefined, retryDelay = ''): number | undefined {
  const after = headerIn(headers, 'retry-after');
  const candidates = [
    milliseconds(headerIn(headers, 'retry-after-ms'), 1),
    milliseconds(after, 1000),
    untilDate(after),
    milliseconds(retryDelay.length > MAX_CHARACTERS ? '' : /^([\d.]+)s$/.exec(retryDelay)?.[1], 1000),
  ];
  return candidates.find((wait) => wait !== undefined);
}

function headerIn(headers: AnswerHeaders | undefined, name: string): string {
  const value = headers?.get(name) ?? '';
  return value.length > MAX_CHARACTERS ? '' : value;
}

function milliseconds(text: string | undefined, unit: number): number | undefined {
  if (text === undefined || !/^\s*\d+(\.\d*)?\s*$/.test(text)) return undefined;
  return capped(Number(text) * unit);
}

function untilDate(text: string): number | undefined {
  if (!HTTP_DATE.test(text)) return undefined;
  const wait = Date.parse(text) - Date.now();
  return wait >= 0 ? capped(wait) : undefined;
}

function capped(wait: number): number {
  return Math.min(Math.ceil(wait), MAX_WAIT_MS);
}
