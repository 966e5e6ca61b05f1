import { once } from 'node:events';
import { connect as connectTo, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as secureOver } from 'node:tls';
import { hostOf, portOf } from '../../../domain/network/index.ts';
import { type AddressGuard, BlockedAddressError } from './address-guard.ts';

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
export type GuardedConnect = (host: string, port: number, options?: ConnectOptions) => Promise<Socket>;

/** Returns what a library needs that makes the connection itself: the look-up that checks where a name leads. */
export type GuardedLookup = (host: string, port: number) => LookupFunction;

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

// As an address of the web, because that is how the spellings of an IP address become one. Whatever is more than a host
// would have another place judged than the one that is connected to.
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
