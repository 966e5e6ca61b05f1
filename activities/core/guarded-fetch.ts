import { lookup as resolve } from 'node:dns';
import { once } from 'node:events';
import { connect as connectTo, isIP, type LookupFunction, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { LRUCache } from 'lru-cache';
import {
  Agent,
  buildConnector,
  type Dispatcher,
  fetch as undiciFetch,
  Pool,
  type RequestInit as UndiciInit,
} from 'undici';
import { endpointUrlIssue, hostOf, isPublicAddress, portOf, type PrivateHosts } from '../../domain/network/index.ts';
import { type StreamedResponse, toStreamedResponse } from './streamed-response.ts';

/** The destination is blocked for outgoing calls. The message can be shown to the user. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
}

/** A name that resolved to a blocked address. The caller learns no more than for an unknown name. */
export interface BlockedName {
  readonly hostname: string;
  readonly addresses: readonly string[];
}

interface GuardOptions {
  /** Called for each blocked name, for the operator's log. */
  readonly onBlocked?: (blocked: BlockedName) => void;
  readonly lookup?: typeof resolve;
  /** The longest time that a server may have an idle connection kept open, in milliseconds. */
  readonly maxIdleMs?: number;
}

/** A `fetch` that reaches allowed destinations only, also for libraries that take one. Redirects are not followed. */
export type GuardedFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** A request with a text as its body. It gets no headers but those that HTTP needs. */
interface StreamRequest {
  readonly method: 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
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

/** Connects to a host under the same checks as the guarded `fetch`: a name, or an address without brackets. */
export type GuardedConnect = (host: string, port: number) => Promise<Socket>;

/** The process's only egress to the network. */
interface Egress {
  readonly fetch: GuardedFetch;
  /** For the gateway of the sandbox, which passes on what programs say over it. */
  readonly connect: GuardedConnect;
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

/**
 * Creates the process's only egress to the network. The address that is checked is the one that is connected to: the
 * check sits in the socket's own look-up, so a name that resolves differently a moment later gains nothing.
 */
export function createGuardedFetch(privateHosts: PrivateHosts, options: GuardOptions = {}): Egress {
  const expiries = new LRUCache<string, Date>({ max: MAX_CERTIFICATES });
  const agent = new Agent({
    factory: (origin, poolOptions): Dispatcher => {
      const { origin: name } = new URL(origin);
      const lookup = guardedLookup(new URL(origin), privateHosts, options);
      const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup });
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
  return {
    fetch: async (address, init = {}) => {
      const url = String(address);
      rejectBlocked(url, privateHosts);
      return undiciFetch(url, { ...(await toUndici(init)), dispatcher: agent, redirect: 'manual' });
    },
    connect: async (host, port) => {
      const url = new URL(`http://${isIP(host) === 6 ? `[${host}]` : host}:${port}/`);
      rejectBlocked(url.href, privateHosts);
      const socket = connectTo({ host: hostOf(url), port, lookup: guardedLookup(url, privateHosts, options) });
      try {
        await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) });
        return socket;
      } catch (error) {
        socket.destroy();
        throw error;
      }
    },
    requestStream: async (url, request) => {
      rejectBlocked(url, privateHosts);
      return toStreamedResponse(await untilHeaders(agent, new URL(url), request));
    },
    certificateExpiry: (url) => expiries.get(URL.parse(url)?.origin ?? ''),
    close: () => agent.destroy(),
  };
}

function expiryOf(socket: TLSSocket): Date {
  return new Date(socket.getPeerCertificate().valid_to);
}

function rejectBlocked(url: string, privateHosts: PrivateHosts): void {
  const issue = endpointUrlIssue(url, privateHosts);
  if (issue !== undefined) throw new BlockedAddressError(`The address ${issue}`);
}

async function untilHeaders(
  agent: Agent,
  { origin, pathname, search }: URL,
  { method, headers, body, signal }: StreamRequest,
): Promise<Dispatcher.ResponseData> {
  signal.throwIfAborted();
  // A server that compresses a stream holds it back until there is enough to compress.
  const sent = { 'accept-encoding': 'identity', ...headers };
  const options = { origin, path: pathname + search, method, headers: sent, body, signal };
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

function guardedLookup(
  origin: URL,
  privateHosts: PrivateHosts,
  { onBlocked, lookup = resolve }: GuardOptions,
): LookupFunction {
  const isAllowed = privateHosts.allows(hostOf(origin), portOf(origin));
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      const isBlocked = !isAllowed && addresses.some(({ address }) => isIP(address) === 0 || !isPublicAddress(address));
      if (isBlocked) {
        onBlocked?.({ hostname, addresses: addresses.map(({ address }) => address) });
        return callback(unknownName(hostname), []);
      }
      const [first] = addresses;
      if (options.all === true || first === undefined) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };
}

// Fails like the look-up of a non-existent name; otherwise it would reveal the names of the inner network.
function unknownName(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' });
}
