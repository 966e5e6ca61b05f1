import type { CallOptions, KeyedPath, Method } from './api-types.ts';
import { APIConnectionError, APIError, APITimeoutError, errorOf, EverturnError } from './errors.ts';

/** A text, or a function that returns the current one, such as an access token that is renewed. */
export type Credential = string | (() => string | Promise<string>);

/** How to reach a server. */
export interface ClientOptions {
  /** The address of the server; that in `EVERTURN_URL` unless given. */
  readonly url?: string | undefined;
  /** An API key or an access token; that in `EVERTURN_API_KEY` unless given. `null` sends none, as for signing in. */
  readonly apiKey?: Credential | null | undefined;
  /** One of your organizations other than the active one. An API key has its own. */
  readonly orgId?: string | undefined;
  /** How long to wait for an answer, in milliseconds: a minute unless given. */
  readonly timeoutMs?: number | undefined;
  /** How often a request is tried again: twice unless given. */
  readonly maxRetries?: number | undefined;
  /** How often in a row a lost stream is connected again: ten times unless given. */
  readonly maxReconnects?: number | undefined;
  /** How long a stream may be silent before it counts as lost, in milliseconds: 45 seconds unless given. */
  readonly streamIdleMs?: number | undefined;
  /** Sends requests instead of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

/** A request as it is sent. */
export interface RawRequest extends CallOptions {
  readonly method: Method;
  /** The path as the document writes it, with `{name}` for a parameter. */
  readonly template: string;
  readonly path?: object | undefined;
  readonly query?: object | undefined;
  readonly headers?: object | undefined;
  readonly body?: unknown;
  /** Whether the same again does no harm; as the method says unless given. */
  readonly isRepeatable?: boolean;
}

const MAX_WAIT_MS = 60_000;
const MAX_BACK_OFF_MS = 30_000;
const TRANSIENT: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
/** That this is all of them, and no other path, the compiler checks against the document. */
const KEYED: Readonly<Record<KeyedPath, true>> = {
  '/api/workflows/{workflow_id}/trigger': true,
  '/api/workflows/{workflow_id}/webhook': true,
  '/api/schedules/{schedule_id}/trigger': true,
  '/v1/chat/completions': true,
  '/v1/responses': true,
};

/** Sends requests to one server, again when that may help and does no harm. */
export class Transport {
  readonly maxRetries: number;
  readonly maxReconnects: number;
  readonly streamIdleMs: number;
  readonly #url: string;
  readonly #apiKey: Credential | null;
  readonly #orgId: string | undefined;
  readonly #timeoutMs: number;
  readonly #fetch: typeof fetch;

  constructor(options: ClientOptions) {
    const { url = fromEnvironment('EVERTURN_URL'), apiKey = fromEnvironment('EVERTURN_API_KEY') } = options;
    if (url === undefined || !/^https?:/.test(url) || !URL.canParse(url))
      throw new EverturnError('The address of the server is needed: `url`, or EVERTURN_URL, with http:// or https://');
    if (apiKey === undefined) throw new EverturnError('An API key is needed: `apiKey`, or EVERTURN_API_KEY');
    this.#url = url.replace(/\/$/, '');
    this.#apiKey = apiKey;
    this.#orgId = options.orgId;
    this.#timeoutMs = options.timeoutMs ?? 60_000;
    const { fetch: send = fetch } = options;
    // Browsers refuse to call theirs as a method.
    this.#fetch = (...request) => send(...request);
    this.maxRetries = options.maxRetries ?? 2;
    this.maxReconnects = options.maxReconnects ?? 10;
    this.streamIdleMs = options.streamIdleMs ?? 45_000;
  }

  /** Returns the address of a request. */
  addressOf({ template, path = {}, query = {} }: Pick<RawRequest, 'template' | 'path' | 'query'>): URL {
    const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const value = String((path as Record<string, string | number | undefined>)[name] ?? '');
      // A part that is empty or only dots would make it another path.
      if (['', '.', '..'].includes(value)) throw new EverturnError(`"${value}" is no ${name} for ${template}`);
      return encodeURIComponent(value);
    });
    const url = new URL(`${this.#url}${filled}`);
    for (const [name, value] of Object.entries(query).flatMap(([key, values]) =>
      [values].flat().map((one) => [key, one] as const),
    ))
      if (value !== undefined && value !== null) url.searchParams.append(name, String(value));
    return url;
  }

  /** Sends a request, and returns what `read` makes of a good answer. Throws an error of this package, or the abort. */
  async send<T>(
    request: RawRequest,
    read: (response: Response) => Promise<T>,
    url = this.addressOf(request),
  ): Promise<T> {
    const headers = this.#headersOf(request);
    const isRepeatable =
      request.isRepeatable ??
      (headers.has('idempotency-key') || (request.method !== 'POST' && !headers.has('if-match')));
    const { maxRetries = this.maxRetries, signal } = request;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#try(request, { url, headers, read });
      } catch (error) {
        if (attempt >= maxRetries || !isTransient(error, isRepeatable)) throw error;
        await backOff(attempt, { error, signal });
      }
    }
  }

  async #try<T>(
    { method, body, signal, timeoutMs = this.#timeoutMs }: RawRequest,
    { url, headers, read }: { url: URL; headers: Headers; read: (response: Response) => Promise<T> },
  ): Promise<T> {
    if (this.#apiKey !== null) headers.set('authorization', `Bearer ${await credentialOf(this.#apiKey)}`);
    return withDeadline({ signal, ms: timeoutMs, what: `${method} ${url.origin}${url.pathname}` }, async (combined) => {
      const isFile = body instanceof FormData || body instanceof Blob;
      const response = await this.#fetch(url, {
        method,
        headers,
        signal: combined,
        // No route redirects: followed, a request would lose its key and its body, or take them to another server.
        redirect: 'manual',
        ...(body !== undefined && { body: isFile ? body : JSON.stringify(body) }),
      });
      if (!response.ok) throw await errorOf(response);
      return read(response);
    });
  }

  #headersOf({ method, template, headers = {}, body }: RawRequest): Headers {
    const given = Object.entries(headers as Record<string, unknown>).filter(([, value]) => value !== undefined);
    const result = new Headers(given.map(([name, value]) => [name, String(value)]));
    if (this.#orgId !== undefined && !result.has('x-org-id')) result.set('x-org-id', this.#orgId);
    if (method === 'POST' && template in KEYED && !result.has('idempotency-key'))
      result.set('idempotency-key', crypto.randomUUID());
    if (body !== undefined && !(body instanceof FormData || body instanceof Blob))
      result.set('content-type', 'application/json');
    return result;
  }
}

// `fetch` repeats a header that it does not take in its error.
async function credentialOf(apiKey: Credential): Promise<string> {
  const value = (typeof apiKey === 'string' ? apiKey : await apiKey()).trim();
  if (!/^[!-~]+$/.test(value)) throw new EverturnError('The API key is empty, or has characters that no key has');
  return value;
}

interface Deadline {
  readonly signal: AbortSignal | undefined;
  readonly ms: number;
  /** What is waited for, for the error. */
  readonly what: string;
}

/** Does something that a signal or a deadline ends. Throws the reason of the signal, or an error of this package. */
export async function withDeadline<T>(
  { signal, ms, what }: Deadline,
  act: (combined: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ms);
  try {
    return await act(signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]));
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof EverturnError) throw error;
    if (controller.signal.aborted) throw new APITimeoutError(`${what}: nothing came for ${ms} ms`, { cause: error });
    throw new APIConnectionError(`${what}: ${reasonOf(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** Returns whether to try again after an error. */
export function isTransient(error: unknown, isRepeatable: boolean): boolean {
  if (error instanceof APIConnectionError) return isRepeatable;
  if (!(error instanceof APIError) || !TRANSIENT.has(error.status)) return false;
  // What was turned away has done nothing.
  return (isRepeatable || error.status === 429) && (error.retryAfterMs ?? 0) <= MAX_WAIT_MS;
}

/** Waits before another attempt: as long as the server asks, otherwise longer each time. */
export async function backOff(attempt: number, { error, signal }: { error: unknown; signal: AbortSignal | undefined }) {
  const asked = error instanceof APIError ? error.retryAfterMs : undefined;
  const ms = asked ?? Math.min(MAX_BACK_OFF_MS, 500 * 2 ** attempt) * (0.75 + Math.random() / 4);
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

// Node says why in the cause; of several addresses, in the first of several errors.
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: { message?: string; code?: string; errors?: Error[] } };
  const inner = cause?.message ?? '';
  const reason = inner === '' ? (cause?.errors?.[0]?.message ?? cause?.code) : inner;
  return reason === undefined ? message : `${message} (${reason})`;
}

function fromEnvironment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name];
}
