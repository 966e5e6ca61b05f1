import { types } from 'node:util';
import { isConnectionHeader, isHeaderName, READING_METHODS } from '../../../domain/network/http-headers.ts';
import { BlockedAddressError, type Trust } from './guarded-connect.ts';
import { type GuardedFetch, UnreadableCertificateError } from './guarded-fetch.ts';

/** A request brought no response. The message contains nothing of the request's headers or body. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';
  readonly kind: 'invalid_input' | 'denied' | 'timeout' | 'upstream';
  /** Whether the server may have received the request and acted on it. */
  readonly mayHaveArrived: boolean;

  constructor(kind: HttpFailure['kind'], message: string, options: ErrorOptions & { isUnsent?: boolean } = {}) {
    super(message, options);
    this.kind = kind;
    this.mayHaveArrived = (kind === 'timeout' || kind === 'upstream') && options.isUnsent !== true;
  }
}

interface GuardedRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  /** How the certificate of the server is judged, of one that redirects lead to as well. */
  readonly trust?: Trust | undefined;
  readonly followRedirects: boolean;
  /** Whether a redirect to this address may be followed; any unless given. One that may not is the answer. */
  readonly mayFollow?: ((url: string) => boolean) | undefined;
  /** Whether a POST is repeated where a 301 or 302 leads. It becomes a GET otherwise, as in browsers. */
  readonly repeatsPost?: boolean | undefined;
  /** For the whole exchange, redirects and body included. */
  readonly timeoutMs: number;
  /** Counts the body after decompression; the rest is not read, and with 0 nothing of it is waited for. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** A response with any status. */
export interface GuardedResponse {
  readonly status: number;
  /** Keyed by lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  readonly finalUrl: string;
  /** How many redirects were followed to it. */
  readonly redirects: number;
  /** Whether the body continues beyond the part that was read. */
  readonly isTruncated: boolean;
}

/** An HTTP client for allowed destinations. Throws `HttpFailure`, or the signal's reason once it has aborted. */
export interface GuardedHttp {
  request(request: GuardedRequest): Promise<GuardedResponse>;
}

/** The user agent of requests that set none. */
export const USER_AGENT = 'Everturn';

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

// Services that do not speak HTTP, or that no outgoing call is meant for.
const BLOCKED_PORTS: ReadonlySet<string> = new Set([
  '22',
  '23',
  '25',
  '2375',
  '3306',
  '5432',
  '6379',
  '7233',
  '9200',
  '10250',
  '11211',
  '27017',
]);

// Headers that may follow to another origin. Any other can be a secret, whatever its name.
const PLAIN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'content-language',
  'content-type',
  'range',
  'user-agent',
]);
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Creates a client with redirects and limits that leaks no secrets, on the process's only egress. */
export function createGuardedHttp(fetch: GuardedFetch): GuardedHttp {
  return {
    request: async (request) => {
      const timeout = AbortSignal.timeout(request.timeoutMs);
      const signal = AbortSignal.any([request.signal, timeout]);
      try {
        return await exchange(fetch, request, signal);
      } catch (error) {
        if (request.signal.aborted) throw request.signal.reason;
        if (timeout.aborted) {
          throw new HttpFailure('timeout', `No complete response came within ${request.timeoutMs / 1000} seconds`);
        }
        throw toHttpFailure(error);
      }
    },
  };
}

/** One request of a chain of redirects. */
interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | Uint8Array | undefined;
}

async function exchange(fetch: GuardedFetch, request: GuardedRequest, signal: AbortSignal): Promise<GuardedResponse> {
  let hop: Hop = {
    url: checkedUrl(request.url),
    method: request.method,
    headers: checkedHeaders(request.headers),
    body: request.body,
  };
  for (let redirects = 0; ; redirects += 1) {
    const { method, headers, body } = hop;
    const sent = fetch(hop.url.href, {
      method,
      headers: [...headers],
      body: body ?? null,
      signal,
      trust: request.trust,
    });
    const response = await (redirects === 0 ? sent : sent.catch(rejectRedirect));
    const next = request.followRedirects ? nextHop(hop, response, request) : undefined;
    if (next === undefined || request.mayFollow?.(next.url.href) === false)
      return { ...(await readAnswer(response, request.maxBytes)), finalUrl: hop.url.href, redirects };
    await response.body?.cancel();
    if (redirects === MAX_REDIRECTS) {
      throw new HttpFailure('upstream', `The address redirects more than ${MAX_REDIRECTS} times`);
    }
    hop = next;
  }
}

// The server chooses the redirect's target, so the message quotes none of it.
function rejectRedirect(error: unknown): never {
  if (!(error instanceof BlockedAddressError)) throw error;
  throw new HttpFailure('denied', 'The address redirects to one that may not be reached from here');
}

function checkedUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null) throw new HttpFailure('invalid_input', 'The address is not a valid URL');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new HttpFailure('invalid_input', 'The address must begin with https:// or http://');
  }
  if (BLOCKED_PORTS.has(url.port)) throw new HttpFailure('denied', `Requests to port ${url.port} are not allowed`);
  return url;
}

function checkedHeaders(given: Readonly<Record<string, string>>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    if (!isHeaderName(name)) throw new HttpFailure('invalid_input', 'The name of a header is invalid');
    if (!HEADER_VALUE.test(value)) {
      throw new HttpFailure('invalid_input', `The header ${name} contains line breaks or other invalid characters`);
    }
    if (isConnectionHeader(name)) throw new HttpFailure('invalid_input', `The header ${name} cannot be set`);
    headers.append(name, value);
  }
  if (!headers.has('user-agent')) headers.set('user-agent', USER_AGENT);
  if (!headers.has('accept')) headers.set('accept', '*/*');
  return headers;
}

/** Returns the next hop of a redirect; undefined when the response is no redirect, or one that must not be followed. */
function nextHop(hop: Hop, response: Response, { repeatsPost = false }: GuardedRequest): Hop | undefined {
  const location = response.headers.get('location');
  if (!REDIRECTS.has(response.status) || location === null) return undefined;
  const target = URL.parse(location, hop.url.href);
  if (target === null) throw new HttpFailure('upstream', 'The address redirects to an invalid URL');
  const url = checkedUrl(target.href);
  const isSameOrigin = url.origin === hop.url.origin;
  const becomesGet = becomesGetAfter(response, hop.method, repeatsPost);
  // A change, with or without a body, is for the receiver that was named, and is made at no other.
  if (!isSameOrigin && !becomesGet && !READING_METHODS.has(hop.method)) return undefined;
  const headers = new Headers(hop.headers);
  if (!isSameOrigin) keepPlain(headers);
  if (!becomesGet) return { ...hop, url, headers };
  for (const name of ['content-type', 'content-encoding', 'content-language', 'idempotency-key']) headers.delete(name);
  return { url, method: 'GET', headers, body: undefined };
}

function becomesGetAfter({ status }: Response, method: string, repeatsPost: boolean): boolean {
  if (status === 303) return method !== 'HEAD';
  return status < 303 && method === 'POST' && !repeatsPost;
}

function keepPlain(headers: Headers): void {
  const others = Array.from(headers.keys()).filter((name) => !PLAIN_HEADERS.has(name));
  for (const name of others) headers.delete(name);
}

async function readAnswer(
  response: Response,
  maxBytes: number,
): Promise<Omit<GuardedResponse, 'finalUrl' | 'redirects'>> {
  const { bytes, isTruncated } = await readBody(response, maxBytes);
  const headers = new Map(response.headers);
  return { status: response.status, headers, body: bytes, isTruncated };
}

async function readBody(response: Response, maxBytes: number): Promise<{ bytes: Buffer; isTruncated: boolean }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  if (maxBytes === 0) await response.body?.cancel();
  else if (response.body !== null) {
    for await (const chunk of response.body) {
      chunks.push(chunk);
      length += chunk.length;
      // Leaving the loop cancels the body, and with it the connection.
      if (length > maxBytes) break;
    }
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isTruncated: length > maxBytes };
}

function toHttpFailure(error: unknown): HttpFailure {
  for (let cause = error; types.isNativeError(cause); cause = cause.cause) {
    if (cause instanceof HttpFailure) return cause;
    if (cause instanceof BlockedAddressError) return new HttpFailure('denied', cause.message);
    if (cause instanceof UnreadableCertificateError)
      return new HttpFailure(
        'denied',
        'The certificates or the key of the integration cannot be read: they must be PEM',
        {
          cause: error,
        },
      );
    const networkError = networkErrorOf(cause);
    if (networkError !== undefined) {
      const message = `The request to the server failed: ${networkError.words}`;
      const kind = networkError.isTimeout ? 'timeout' : 'upstream';
      return new HttpFailure(kind, message, { cause: error, isUnsent: networkError.isUnsent });
    }
  }
  return new HttpFailure('upstream', "The server's response is not valid HTTP", { cause: error });
}

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
  // From fetch, which gives it no code.
  ['bad port', 'its port is reserved for another protocol, and blocked for HTTP'],
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
  'bad port',
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

/** Reads the reason from an error of Node or undici; `undefined` when it is unknown. */
export function networkErrorOf(error: Error): NetworkErrorInfo | undefined {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (CERTIFICATE_ERROR.test(code))
    return { words: `its certificate is invalid (${code})`, isUnsent: true, isTimeout: false };
  const reason = code === '' ? error.message : code;
  const words = NETWORK_ERRORS.get(reason);
  if (words === undefined) return undefined;
  return { words, isUnsent: NEVER_CONNECTED.has(reason), isTimeout: TIMEOUTS.has(reason) };
}
