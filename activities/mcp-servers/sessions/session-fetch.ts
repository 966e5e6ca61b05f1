import { AsyncLocalStorage } from 'node:async_hooks';
import type { GuardedFetch } from '../../core/network/guarded-fetch.ts';
import { boundedBytes, boundedEvents, boundedJson, MAX_BODY_BYTES } from './bounded-body.ts';
import { McpFailure } from '../mcp-failure.ts';

/** The options of requests of one session to its server. */
interface SessionFetchOptions {
  readonly fetch: GuardedFetch;
  readonly url: URL;
  readonly transport: 'http' | 'sse';
  /** Headers for the server itself, secrets included: no other address is sent them. */
  readonly headers: Readonly<Record<string, string>>;
  /** Called when the stream that all answers come over has ended, or is refused. */
  readonly onBroken: (failure: McpFailure) => void;
  /** Called with the bytes that have come over that stream. */
  readonly onBytes: (bytes: number) => void;
}

/** A `fetch` as the SDK takes one. */
type SessionFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Pending requests of one session: a server can ask for answers, each of which is one. */
const MAX_PENDING = 100;
const MAX_ERROR_BYTES = 64 * 1024;

/**
 * Makes the `fetch` of a session: through the guarded client, with the server's secrets for the server alone, and with
 * bounds on everything that comes back.
 */
export function createSessionFetch(options: SessionFetchOptions): SessionFetch {
  let pending = 0;
  return async (address, init = {}) => {
    const url = new URL(String(address));
    if (isUnaskedStream(options, url, init)) return new Response(null, { status: 405 });
    if (pending >= MAX_PENDING) throw new McpFailure('rate_limited', 'Too many requests to the server are under way');
    pending += 1;
    try {
      const sent = await options.fetch(url, {
        ...init,
        headers: headersFor(options, url, init),
        signal: signalFor(options, init),
      });
      if (!sent.ok && isResumption(init)) Exchange.current?.breakOff(ended(url));
      return await bounded(options, { url, bringsAnswer: bringsAnswer(options, url, init) }, sent);
    } catch (error) {
      // The SDK would try again while its caller waits.
      if (isResumption(init)) Exchange.current?.breakOff(ended(url));
      throw error;
    } finally {
      pending -= 1;
    }
  };
}

// The stream of a server's unsolicited messages is never opened: nobody here would read it.
function isUnaskedStream({ transport, url: own }: SessionFetchOptions, url: URL, init: RequestInit): boolean {
  return transport === 'http' && url.href === own.href && init.method === 'GET' && !isResumption(init);
}

// The SDK asks for the rest of a stream that has broken off after an event with an id.
function isResumption({ method, headers }: RequestInit): boolean {
  return method === 'GET' && new Headers(headers).has('last-event-id');
}

function headersFor(options: SessionFetchOptions, url: URL, { headers: given }: RequestInit): Headers {
  const headers = new Headers(given);
  headers.set('user-agent', 'Everturn');
  if (!isOwn(options, url)) return headers;
  for (const [name, value] of Object.entries(options.headers)) headers.set(name, value);
  return headers;
}

// A server of the older transport names the address for messages itself; the SDK refuses one of another origin.
function isOwn({ url: own, transport }: SessionFetchOptions, url: URL): boolean {
  return url.origin === own.origin && (transport === 'sse' || url.pathname === own.pathname);
}

// The response of a request is of no use once its caller is done. A notification (of its cancellation) is still sent.
function signalFor({ transport }: SessionFetchOptions, { signal, method, body }: RequestInit): AbortSignal | null {
  const over = Exchange.current?.over;
  const isNotification = method === 'POST' && typeof body === 'string' && !isRequest(body);
  if (over === undefined || isNotification || (transport === 'sse' && method !== 'POST')) return signal ?? null;
  return signal == null ? over : AbortSignal.any([signal, over]);
}

// Neither do the tokens of an authorization server end a call, nor what comes back for a notification.
function bringsAnswer(options: SessionFetchOptions, url: URL, init: RequestInit): boolean {
  if (!isOwn(options, url)) return false;
  return isResumption(init) || (typeof init.body === 'string' && isRequest(init.body));
}

function isRequest(body: string): boolean {
  const message: unknown = body.startsWith('{') ? JSON.parse(body) : {};
  return typeof message === 'object' && message !== null && 'method' in message && 'id' in message;
}

/** A request that was sent. */
interface Sent {
  readonly url: URL;
  /** Whether what comes back brings the answer that its exchange waits for. */
  readonly bringsAnswer: boolean;
}

async function bounded(options: SessionFetchOptions, sent: Sent, response: Response): Promise<Response> {
  const { status, headers, body } = response;
  const { transport } = options;
  if (body === null) return response;
  const type = (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase();
  const copied = new Headers(headers);
  for (const name of ['content-encoding', 'content-length']) copied.delete(name);
  const answer = (content: string | ReadableStream<Uint8Array>) => new Response(content, { status, headers: copied });
  if (!response.ok) return answer(await boundedBytes(body, MAX_ERROR_BYTES).then(toText, () => ''));
  if (type === 'text/event-stream') return answer(boundedEvents(body, watchOf(options, sent)));
  if (type === 'application/json') {
    const text = await boundedJson(body);
    if (transport === 'http' && sent.bringsAnswer) Exchange.current?.endStream(ended(sent.url));
    return answer(text);
  }
  return answer(toText(await boundedBytes(body, MAX_BODY_BYTES)));
}

function toText(bytes: Buffer): string {
  return bytes.toString();
}

function watchOf({ transport, onBroken, onBytes }: SessionFetchOptions, { url, bringsAnswer: isAwaited }: Sent) {
  const exchange = Exchange.current;
  if (transport === 'sse') return { onEnd: () => onBroken(ended(url)), onRefused: onBroken, onBytes };
  return {
    onEnd: ({ hasIds }: { readonly hasIds: boolean }) => {
      // The SDK asks for the rest of events that have ids.
      if (isAwaited && !hasIds) exchange?.endStream(ended(url));
    },
    onRefused: (failure: McpFailure) => exchange?.breakOff(failure),
  };
}

function ended({ host }: URL): McpFailure {
  return new McpFailure('upstream', `${host} ended its answer in the middle`, { mayHaveRun: true });
}

/** How long a stream may last after its answer: a connection whose stream has ended properly is reused. */
const GRACE_MS = 100;

interface ExchangeOptions {
  /** Whether it is one request, so that nothing more can come once the stream of its answer has ended. */
  readonly isOneRequest: boolean;
}

/**
 * A request and everything that comes back for it. The SDK does not report to a caller that the stream of its answer
 * has ended or grows without bounds; the requests over the network find the exchange that they belong to here, and
 * break it off.
 */
export class Exchange {
  static readonly #current = new AsyncLocalStorage<Exchange>();
  readonly #isOneRequest: boolean;
  readonly #over = new AbortController();
  readonly #broken = Promise.withResolvers<never>();

  constructor({ isOneRequest }: ExchangeOptions) {
    this.#isOneRequest = isOneRequest;
    this.#broken.promise.catch(() => undefined);
  }

  /** The exchange in which the calling code runs. */
  static get current(): Exchange | undefined {
    return Exchange.#current.getStore();
  }

  /** Aborts when nothing that still comes is of use. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Runs `work` as the request of this exchange; throws the failure that breaks it off. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await Promise.race([Exchange.#current.run(this, work), this.#broken.promise]);
      setTimeout(() => this.#over.abort(), GRACE_MS).unref();
      return result;
    } catch (error) {
      this.#over.abort();
      throw error;
    }
  }

  /** Records that the stream of an answer has ended: without an answer, it breaks off. */
  endStream(failure: McpFailure): void {
    // The SDK reads the answer a moment later.
    if (this.#isOneRequest) setTimeout(() => this.breakOff(failure), GRACE_MS);
  }

  /** Ends it with a failure, unless it is over. */
  breakOff(failure: McpFailure): void {
    this.#broken.reject(failure);
  }
}
