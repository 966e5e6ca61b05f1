import { lookup as resolve } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, type Dispatcher, fetch as undiciFetch, Pool, type RequestInit } from 'undici';
import { endpointUrlFault, hostOf, isPublicAddress, portOf, type PrivateHosts } from '../../domain/network/index.ts';

/** The destination is one that outgoing calls may not reach. The message can be shown to the user. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
}

/** A `fetch` that only reaches where outgoing calls may go. Redirects are not followed. */
export type GuardedFetch = (url: string, init?: RequestInit) => Promise<Response>;

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * The process's one way out to the network. The address that is checked is the address that is connected to: the check
 * sits in the look-up that the socket itself uses, so a name that resolves differently a moment later gains nothing.
 */
export function createGuardedFetch(privateHosts: PrivateHosts): { fetch: GuardedFetch; close(): Promise<void> } {
  const agent = new Agent({
    factory: (origin, options): Dispatcher =>
      new Pool(origin, {
        ...(options as Pool.Options),
        connect: { timeout: CONNECT_TIMEOUT_MS, lookup: guardedLookup(new URL(origin), privateHosts) },
      }),
    // The caller has limits of its own, which know an answer that thinks from one that hangs.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    fetch: async (url, init) => {
      const fault = endpointUrlFault(url, privateHosts);
      if (fault !== undefined) throw new BlockedAddressError(`The address ${fault}`);
      return undiciFetch(url, { ...init, dispatcher: agent, redirect: 'manual' });
    },
    close: () => agent.destroy(),
  };
}

function guardedLookup(origin: URL, privateHosts: PrivateHosts): LookupFunction {
  const isAllowed = privateHosts.allows(hostOf(origin), portOf(origin));
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      const isRefused = !isAllowed && addresses.some(({ address }) => isIP(address) === 0 || !isPublicAddress(address));
      if (isRefused) return callback(new BlockedAddressError(`The name ${hostname} leads to a private address`), []);
      const [first] = addresses;
      if (options.all === true || first === undefined) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };
}
