import { once } from 'node:events';
import { connect as connectTo, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as secureTo } from 'node:tls';
import { hostOf } from '../../domain/network/index.ts';
import type { AddressGuard } from './address-guard.ts';

/** How the certificate of a server is judged, beside its name: by the authorities that everybody trusts, unless given. */
export interface Trust {
  /** The authorities that sign it, in PEM. */
  readonly ca?: string | undefined;
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

/** Creates the ways to connections that the guard lets through. */
export function createGuardedConnect(guard: AddressGuard): {
  readonly connect: GuardedConnect;
  readonly lookupFor: GuardedLookup;
} {
  const lookupFor: GuardedLookup = (host, port) => {
    const url = addressOf(host, port);
    guard.check(url.href);
    return guard.lookupFor(url);
  };
  return {
    lookupFor,
    connect: async (host, port, { tls, signal } = {}) => {
      signal?.throwIfAborted();
      const lookup = lookupFor(host, port);
      const socket = open({ host: hostOf(addressOf(host, port)), port, lookup }, tls);
      try {
        await untilConnected(socket, tls === undefined ? 'connect' : 'secureConnect', signal);
        return socket;
      } catch (error) {
        socket.destroy();
        throw error;
      }
    },
  };
}

// As an address of the web, because that is how the spellings of an IP address become one.
function addressOf(host: string, port: number): URL {
  return new URL(`http://${isIP(host) === 6 ? `[${host}]` : host}:${port}/`);
}

function open(to: { host: string; port: number; lookup: LookupFunction }, trust: Trust | undefined): Socket {
  if (trust === undefined) return connectTo(to);
  // The certificate has to be valid for the host; the name that is asked for must not be an address.
  return secureTo({ ...to, ...(isIP(to.host) === 0 && { servername: to.host }), ...trust });
}

async function untilConnected(socket: Socket, event: string, signal: AbortSignal | undefined): Promise<void> {
  const limit = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
  try {
    await once(socket, event, { signal: signal === undefined ? limit : AbortSignal.any([signal, limit]) });
  } catch (error) {
    signal?.throwIfAborted();
    if (!limit.aborted) throw error;
    throw Object.assign(new Error('connecting took too long', { cause: error }), { code: 'ETIMEDOUT' });
  }
}
