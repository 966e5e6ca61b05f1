import { Readable } from 'node:stream';
import { isConnectionHeader } from '../../../../../domain/network/http-headers.ts';
import type { GuardedHttp } from '../../../../core/network/guarded-http.ts';
import { sendRequest, type SentResponse } from '../../../requests/send-request.ts';
import { ToolFailure } from '../../../tool-failure.ts';

/** A request as the library has signed it. */
interface LibraryRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number | undefined;
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | null>> | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** An answer as the library asks for it. */
interface LibraryResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Readable;
}

/** The request handler that the library requires. */
interface GuardedHandler {
  /** Whether the last request was one that writes. */
  isWriting: boolean;
  readonly handle: (request: LibraryRequest) => Promise<{ readonly response: LibraryResponse }>;
}

interface HandlerLimits {
  readonly timeoutMs: number;
  /** The most that is read of an object. */
  readonly maxBytes: number;
}

type Answer = Pick<SentResponse, 'status' | 'body' | 'isTruncated'>;

/** The most that is read of an answer that is no object; a page of 100 keys needs a third of it. */
const MAX_DOCUMENT = 1024 * 1024;
/** The most tags and entities of a document: the library makes a tree of them while all else waits. */
const MAX_MARKS = 20_000;
const [TAG, ENTITY] = ['<', '&'].map((mark) => mark.charCodeAt(0));
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Returns how the library sends its requests: as all others of the service, and again where that is harmless. */
export function guardedHandler(
  http: GuardedHttp,
  { timeoutMs, maxBytes }: HandlerLimits,
  signal: AbortSignal,
): GuardedHandler {
  const handler: GuardedHandler = {
    isWriting: false,
    handle: async (request) => {
      handler.isWriting = !READING.has(request.method);
      const url = urlOf(request);
      // A key with dots between its slashes would be another one once it is sent.
      if (URL.parse(url)?.pathname !== request.path)
        throw new ToolFailure('invalid_input', 'A key cannot have the parts . and ..');
      const isObject = request.query?.['x-id'] === 'GetObject';
      const sent = {
        url,
        method: request.method,
        headers: headersOf(request),
        body: bodyOf(request),
        // Credentials go to no address that nobody has named.
        followRedirects: false,
        timeoutMs,
        maxBytes: isObject ? maxBytes : MAX_DOCUMENT,
      };
      const answer = await sendRequest(sent, handler.isWriting ? 'keyed' : 'read', { http, signal });
      const { status, headers, body } = answer;
      const issue = isObject && status < 300 ? objectIssue(answer, maxBytes) : documentIssue(answer);
      if (issue !== undefined) throw new ToolFailure('upstream', issue, { isUncertain: handler.isWriting });
      // As the library asks for it; an empty chunk would end the stream before its end.
      const stream = Readable.from(body.length === 0 ? [] : [body]);
      return { response: { statusCode: status, headers: Object.fromEntries(headers), body: stream } };
    },
  };
  return handler;
}

function objectIssue({ isTruncated }: Answer, maxBytes: number): string | undefined {
  return isTruncated ? `The object is larger than ${maxBytes} bytes` : undefined;
}

/** Returns why an answer is none that the library may take apart; undefined when it is one. */
function documentIssue({ isTruncated, body }: Answer): string | undefined {
  if (isTruncated || body.length > MAX_DOCUMENT) return `The answer is larger than ${MAX_DOCUMENT} bytes`;
  let marks = 0;
  for (const byte of body) if (byte === TAG || byte === ENTITY) marks += 1;
  return marks > MAX_MARKS ? `The answer has more than ${MAX_MARKS} tags and entities` : undefined;
}

function urlOf({ protocol, hostname, port, path, query = {} }: LibraryRequest): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value ?? ''].flat().map((each) => `${encode(name)}=${encode(each)}`),
  );
  const portPart = port === undefined ? '' : `:${port}`;
  return `${protocol}//${hostname}${portPart}${path}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`;
}

// As they were signed: RFC 3986 keeps fewer characters as they are than encodeURIComponent does.
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

// The client sets those of the connection itself, to what was signed.
function headersOf({ headers }: LibraryRequest): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isConnectionHeader(name)));
}

function bodyOf({ body }: LibraryRequest): string | Uint8Array | undefined {
  return typeof body === 'string' || body instanceof Uint8Array ? body : undefined;
}
