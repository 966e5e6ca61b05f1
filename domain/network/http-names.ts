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

/** Tells whether a text can be the name of a header. */
export function isHeaderName(text: string): boolean {
  return TOKEN.test(text);
}

/**
 * Tells whether a header is set by the client that keeps the connection, and never by those who have a request sent.
 */
export function isConnectionHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return OF_CONNECTION.has(lower) || lower.startsWith('proxy-');
}
