// Codes of Node (errno, dns) and undici.
const NETWORK_ERRORS: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'nothing listens at its address (connection refused)'],
  ['ENOTFOUND', 'its host name is unknown, or leads to a private address'],
  ['EAI_AGAIN', 'its host name could not be looked up'],
  ['ECONNRESET', 'it closed the connection'],
  ['EPIPE', 'it closed the connection'],
  ['UND_ERR_SOCKET', 'it closed the connection'],
  ['UND_ERR_CONNECT_TIMEOUT', 'connecting took too long'],
  ['UND_ERR_HEADERS_OVERFLOW', 'the headers of its response are too large'],
  ['ETIMEDOUT', 'connecting took too long'],
  ['EHOSTUNREACH', 'its address is unreachable'],
  ['ENETUNREACH', 'its address is unreachable'],
]);
const CERTIFICATE_ERROR = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|^ERR_TLS/;

// No connection was made, so nothing was sent.
const NEVER_CONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const TIMEOUTS: ReadonlySet<string> = new Set(['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT']);

/** The reason why a server did not respond. */
interface NetworkErrorInfo {
  /** The reason, with the server as "it". */
  readonly words: string;
  /** Whether the request cannot have reached the server. */
  readonly isUnsent: boolean;
  readonly isTimeout: boolean;
}

/** Reads the reason from an error of Node or undici; `undefined` when its code is unknown. */
export function networkErrorOf(error: Error): NetworkErrorInfo | undefined {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (CERTIFICATE_ERROR.test(code))
    return { words: `its certificate is invalid (${code})`, isUnsent: true, isTimeout: false };
  const words = NETWORK_ERRORS.get(code);
  if (words === undefined) return undefined;
  return { words, isUnsent: NEVER_CONNECTED.has(code), isTimeout: TIMEOUTS.has(code) };
}
