import { lookup as resolve } from 'node:dns';
import { once } from 'node:events';
import { connect as connectTo, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as secureOver } from 'node:tls';
import { endpointUrlIssue, hostOf, portOf } from '../../../domain/network/host-names.ts';
import { isPublicAddress, type PrivateHosts } from '../../../domain/network/addresses.ts';

/**
 * How the certificate of a server is judged, beside its name: by the authorities that everybody trusts, unless given.
 * It may also be what this side shows of itself. All in PEM.
 */
export interface Trust {
  /** The authorities that sign it. */
  readonly ca?: string | undefined;
  /** The certificate that this side shows to a server that asks for one, with its key. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

interface ConnectOptions {
  /** Set to encrypt the connection from its first byte; the certificate must be valid for the host. */
  readonly tls?: Trust | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Connects to a host, a name or an address without brackets, where guarded requests may go as well. Throws
 * `BlockedAddressError`, the error of the network, or the signal's reason.
 */
type GuardedConnect = (host: string, port: number, options?: ConnectOptions) => Promise<Socket>;

/** Returns what a library needs that makes the connection itself: the look-up that checks where a name leads. */
type GuardedLookup = (host: string, port: number) => LookupFunction;

const CONNECT_TIMEOUT_MS = 10_000;

/** The ways to connections that the guard lets through. */
export interface GuardedSockets {
  readonly connect: GuardedConnect;
  readonly lookupFor: GuardedLookup;
}

/** Creates the ways to connections that the guard lets through. */
export function createGuardedConnect(guard: AddressGuard): GuardedSockets {
  const lookupFor: GuardedLookup = (host, port) => {
    const url = addressOf(host, port);
    guard.check(url.href);
    return guard.lookupFor(url);
  };
  return {
    lookupFor,
    connect: async (host, port, { tls, signal } = {}) => {
      signal?.throwIfAborted();
      const to = { host: hostOf(addressOf(host, port)), port, lookup: lookupFor(host, port) };
      const socket = await connected(connectTo(to), 'connect', signal);
      return tls === undefined ? socket : encrypt(socket, to.host, { trust: tls, signal });
    },
  };
}

/**
 * Encrypts a connection that began in the open. Throws the error of the network, or the signal's reason, when the
 * server shows no certificate that is valid for the host.
 */
export async function encrypt(
  socket: Socket,
  host: string,
  { trust, signal }: { readonly trust: Trust; readonly signal?: AbortSignal | undefined },
): Promise<Socket> {
  // The certificate has to be valid for the host; a name that is asked for must not be an address.
  const name = isIP(host) === 0 ? { servername: host } : {};
  return connected(secureOver({ socket, host, ...name, ...trust }), 'secureConnect', signal);
}

// As an address of the web, because that is how the spellings of an IP address become one. With anything beyond a host,
// another destination would be checked than the one that is connected to.
function addressOf(host: string, port: number): URL {
  const url = URL.parse(`http://${isIP(host) === 6 ? `[${host}]` : host}:${port}/`);
  if (url === null || portOf(url) !== port || url.href !== `${url.origin}/`)
    throw new BlockedAddressError('The address of the server is no host and port');
  return url;
}

async function connected(socket: Socket, event: string, signal: AbortSignal | undefined): Promise<Socket> {
  const limit = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
  try {
    await once(socket, event, { signal: signal === undefined ? limit : AbortSignal.any([signal, limit]) });
    return socket;
  } catch (error) {
    socket.destroy();
    signal?.throwIfAborted();
    if (!limit.aborted) throw error;
    throw Object.assign(new Error('connecting took too long', { cause: error }), { code: 'ETIMEDOUT' });
  }
}

/** The destination is blocked for outgoing calls. The message can be shown to the user. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
}

/** A name that resolved to a blocked address. The caller learns no more than for an unknown name. */
export interface BlockedName {
  readonly hostname: string;
  readonly addresses: readonly string[];
}

export interface GuardOptions {
  /** Called for each blocked name, for the operator's log. */
  readonly onBlocked?: (blocked: BlockedName) => void;
  readonly lookup?: typeof resolve;
}

/**
 * Decides which destinations may be reached. The address that is checked is the one that is connected to: the check
 * sits in the socket's own look-up, so a name that resolves differently a moment later gains nothing.
 */
export class AddressGuard {
  readonly #privateHosts: PrivateHosts;
  readonly #options: GuardOptions;

  constructor(privateHosts: PrivateHosts, options: GuardOptions = {}) {
    this.#privateHosts = privateHosts;
    this.#options = options;
  }

  /** Throws `BlockedAddressError` for an address that must not be reached, as far as its text shows that. */
  check(url: string): void {
    const issue = endpointUrlIssue(url, this.#privateHosts);
    if (issue !== undefined) throw new BlockedAddressError(`The address ${issue}`);
  }

  /** Returns the look-up for sockets to the host and port of an address. */
  lookupFor(origin: URL): LookupFunction {
    const { onBlocked, lookup = resolve } = this.#options;
    const isAllowed = this.#privateHosts.allows(hostOf(origin), portOf(origin));
    return (hostname, options, callback) => {
      lookup(hostname, { ...options, all: true }, (error, addresses) => {
        if (error !== null) return callback(error, []);
        const isBlocked =
          !isAllowed && addresses.some(({ address }) => isIP(address) === 0 || !isPublicAddress(address));
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
}

// Fails like the look-up of a non-existent name; otherwise it would reveal the names of the inner network.
function unknownName(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' });
}
