import { createHash, X509Certificate } from 'node:crypto';
import { pipeline, Readable, type Transform } from 'node:stream';
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import {
  Agent,
  buildConnector,
  type Dispatcher,
  fetch as undiciFetch,
  Pool,
  type RequestInit as UndiciInit,
} from 'undici';
import type { PrivateHosts } from '../../../domain/network/addresses.ts';
import {
  AddressGuard,
  createGuardedConnect,
  type GuardedSockets,
  type GuardOptions,
  type Trust,
} from './guarded-connect.ts';

interface EgressOptions extends GuardOptions {
  /** The longest time that a server may have an idle connection kept open, in milliseconds. */
  readonly maxIdleMs?: number;
}

/** The options of a request; `trust` is for servers whose certificate no public authority signs. */
interface GuardedInit extends RequestInit {
  readonly trust?: Trust | undefined;
}

/**
 * A `fetch` that reaches allowed destinations only, also for libraries that take one. Redirects are not followed.
 * Throws `UnreadableCertificateError` for a trust that is no certificates.
 */
export type GuardedFetch = (url: string | URL, init?: GuardedInit) => Promise<Response>;

/** Certificates or keys that were given for a request cannot be read. */
export class UnreadableCertificateError extends Error {
  override readonly name = 'UnreadableCertificateError';
}

/** A request with a body. It gets no headers but those that HTTP needs. */
interface StreamRequest {
  readonly method: 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RequestBody;
  readonly signal: AbortSignal;
}

/**
 * Sends a request under the same checks as the guarded `fetch`, for a fraction of its processor time. Returns the
 * response as soon as its headers are there, or throws the signal's reason.
 */
export type RequestStream = (url: string, request: StreamRequest) => Promise<StreamedResponse>;

/**
 * Returns until when the certificate is valid that the server of an address has shown lately; undefined when none was
 * seen.
 */
export type CertificateExpiry = (url: string) => Date | undefined;

/** The process's only egress to the network. */
interface Egress extends GuardedSockets {
  readonly fetch: GuardedFetch;
  readonly requestStream: RequestStream;
  readonly certificateExpiry: CertificateExpiry;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * A server that asks for more gets this, and one that asks for nothing four seconds: who calls many servers must not
 * leave a connection at each.
 */
const MAX_IDLE_MS = 30_000;

/** Origins whose certificates are remembered. */
const MAX_CERTIFICATES = 500;

/** Sets of certificates whose connections are kept. */
const MAX_TRUSTS = 50;

/** Creates the process's only egress to the network. */
export function createGuardedFetch(privateHosts: PrivateHosts, options: EgressOptions = {}): Egress {
  const guard = new AddressGuard(privateHosts, options);
  const expiries = new LRUCache<string, Date>({ max: MAX_CERTIFICATES });
  const agentWith = (secureContext?: SecureContext) =>
    new Agent({
      factory: (origin, poolOptions): Dispatcher => {
        const { origin: name } = new URL(origin);
        const lookup = guard.lookupFor(new URL(origin));
        const connect = buildConnector({
          timeout: CONNECT_TIMEOUT_MS,
          lookup,
          ...(secureContext && { secureContext }),
        });
        return new Pool(origin, {
          ...(poolOptions as Pool.Options),
          connect: (wanted, callback) =>
            connect(wanted, (...outcome) => {
              if (outcome[1] instanceof TLSSocket) expiries.set(name, expiryOf(outcome[1]));
              callback(...outcome);
            }),
        });
      },
      // The caller has limits of its own, which distinguish a slow model from a hung one.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveMaxTimeout: options.maxIdleMs ?? MAX_IDLE_MS,
    });
  const agent = agentWith();
  // A connection that one set of certificates has opened is not used with another.
  const trusting = new LRUCache<string, Agent>({ max: MAX_TRUSTS, dispose: (dropped) => void dropped.close() });
  const agentOf = (trust: Trust | undefined): Agent => {
    if (trust === undefined) return agent;
    const key = createHash('sha256')
      .update(JSON.stringify([trust.ca, trust.cert, trust.key]))
      .digest('base64');
    const known = trusting.get(key) ?? agentWith(secureContextOf(trust));
    trusting.set(key, known, { noDisposeOnSet: true });
    return known;
  };
  return {
    fetch: async (address, { trust, ...init } = {}) => {
      const url = String(address);
      guard.check(url);
      return undiciFetch(url, { ...(await toUndici(init)), dispatcher: agentOf(trust), redirect: 'manual' });
    },
    ...createGuardedConnect(guard),
    requestStream: async (url, request) => {
      guard.check(url);
      return toStreamedResponse(await untilHeaders(agent, new URL(url), request));
    },
    certificateExpiry: (url) => expiries.get(URL.parse(url)?.origin ?? ''),
    close: async () => {
      await Promise.all([agent, ...trusting.values()].map(async (each) => each.destroy()));
    },
  };
}

function secureContextOf({ ca, cert, key }: Trust): SecureContext {
  try {
    // An authority that is none would be left out without a word.
    const authority = ca === undefined ? undefined : new X509Certificate(ca);
    return createSecureContext({ ca: authority && ca, cert, key });
  } catch (error) {
    throw new UnreadableCertificateError('The certificates cannot be read', { cause: error });
  }
}

function expiryOf(socket: TLSSocket): Date {
  return new Date(socket.getPeerCertificate().valid_to);
}

async function untilHeaders(
  agent: Agent,
  { origin, pathname, search }: URL,
  { method, headers, body, signal }: StreamRequest,
): Promise<Dispatcher.ResponseData> {
  signal.throwIfAborted();
  // A server that compresses a stream buffers it until there is enough to compress.
  const sent = { 'accept-encoding': 'identity', ...headers, 'content-length': String(body.byteLength) };
  const options = { origin, path: pathname + search, method, headers: sent, body: body.give(), signal };
  return new Promise((resolve, reject) => {
    // Undici itself heeds the signal only once the connection is made, or could not be made for seconds.
    const giveUp = () => reject(signal.reason as Error);
    signal.addEventListener('abort', giveUp, { once: true });
    agent.request(options, (error, response) => {
      signal.removeEventListener('abort', giveUp);
      if (error === null) resolve(response);
      else reject(error);
    });
  });
}

// Undici would serialize the form class of Node, which libraries use, as text.
async function toUndici({ method = 'GET', headers, body = null, signal = null }: RequestInit): Promise<UndiciInit> {
  const sent = new Headers(headers);
  if (!(body instanceof FormData)) return { method, headers: [...sent], body, signal, duplex: 'half' };
  // Node encodes the parts, and sets the boundary between them.
  const form = new Response(body);
  sent.set('content-type', form.headers.get('content-type') ?? '');
  return { method, headers: [...sent], body: await form.arrayBuffer(), signal };
}

/** Larger than most bodies. */
const SMALL_BYTES = 64_000;
const CHUNK_BYTES = 256 * 1024;

/**
 * The body of a request, which is sent once. A large one is released as soon as it is sent, since the response may take
 * minutes to begin.
 */
export class RequestBody {
  readonly byteLength: number;
  readonly #onSent: () => void;
  #bytes: Uint8Array | undefined;

  /** @param onSent called when the last byte was taken. */
  constructor(bytes: Uint8Array, onSent: () => void = () => undefined) {
    this.byteLength = bytes.byteLength;
    this.#bytes = bytes;
    this.#onSent = onSent;
  }

  /** Its bytes; none once it is sent. */
  get bytes(): Uint8Array {
    return this.#bytes ?? new Uint8Array();
  }

  /**
   * Passes the body to undici, which keeps bytes until the response has ended, and sends them in less time than a
   * stream.
   */
  give(): Uint8Array | Readable {
    if (this.byteLength > SMALL_BYTES) return Readable.from(this.#chunks());
    const { bytes } = this;
    this.#end();
    return bytes;
  }

  async *#chunks(): AsyncGenerator<Uint8Array, undefined> {
    for (let at = 0; at < this.byteLength; at += CHUNK_BYTES) yield this.bytes.subarray(at, at + CHUNK_BYTES);
    this.#end();
  }

  #end(): void {
    this.#bytes = undefined;
    this.#onSent();
  }
}

/** A body that is read as it arrives, once. One that is not read to its end must be cancelled. */
export interface ResponseBody {
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined>;
  /** Drops the rest; the connection is closed unless the whole body had arrived. */
  cancel(): Promise<void>;
}

/** A response with any status, once its headers are there. The one of a `fetch` is one, too. */
export interface StreamedResponse {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: { get(name: string): string | null };
  readonly body: ResponseBody | null;
}

/** A response as undici gives it, with the headers by name in lower case. */
interface UndiciResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readable;
}

/** Makes the response of what undici gives. Throws when the body is encoded in a way that is not supported. */
function toStreamedResponse({ statusCode, headers, body }: UndiciResponse): StreamedResponse {
  const get = (name: string) => headers[name]?.toString() ?? null;
  return { status: statusCode, headers: { get }, body: toBody(decodeBody(body, get('content-encoding') ?? '')) };
}

function toBody(stream: Readable): ResponseBody {
  // The reader of the body gets the failure; there is none once it was cancelled.
  stream.on('error', () => undefined);
  return {
    [Symbol.asyncIterator]: () => stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>,
    cancel: async () => void stream.destroy(),
  };
}

// RFC 9110, section 8.4.1. Some servers compress whatever they were asked for.
const DECODERS = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
]);

/**
 * Returns the body as it was before its `Content-Encoding`, decoded as it arrives. Throws for an unknown one, and for
 * several on top of each other, which only serve to make much of little.
 */
function decodeBody(body: Readable, encoding: string): Readable {
  const coding = encoding.trim().toLowerCase();
  if (coding === '' || coding === 'identity') return body;
  const createDecoder = DECODERS.get(coding);
  if (createDecoder === undefined) {
    body.on('error', () => undefined).destroy();
    throw new Error('its answer is encoded in a way that is not supported');
  }
  // The reader of the decoded body gets the failure of either.
  return pipeline(body, createDecoder(), () => undefined);
}
