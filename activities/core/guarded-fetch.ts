import { lookup as resolve } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, type Dispatcher, fetch as undiciFetch, Pool, type RequestInit as UndiciInit } from 'undici';
import { endpointUrlIssue, hostOf, isPublicAddress, portOf, type PrivateHosts } from '../../domain/network/index.ts';

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

const CONNECT_TIMEOUT_MS = 10_000;
/**
 * A server that asks for more gets this, and one that asks for nothing four seconds: who calls many servers must not
 * leave a connection at each.
 */
const MAX_IDLE_MS = 30_000;

/**
 * Creates the process's only way out to the network. The address that is checked is the one that is connected to: the
 * check sits in the socket's own look-up, so a name that resolves differently a moment later gains nothing.
 */
export function createGuardedFetch(
  privateHosts: PrivateHosts,
  options: GuardOptions = {},
): { fetch: GuardedFetch; close(): Promise<void> } {
  const agent = new Agent({
    factory: (origin, poolOptions): Dispatcher =>
      new Pool(origin, {
        ...(poolOptions as Pool.Options),
        connect: { timeout: CONNECT_TIMEOUT_MS, lookup: guardedLookup(new URL(origin), privateHosts, options) },
      }),
    // The caller has limits of its own, which distinguish a slow model from a hung one.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveMaxTimeout: options.maxIdleMs ?? MAX_IDLE_MS,
  });
  return {
    fetch: async (address, init = {}) => {
      const url = String(address);
      const issue = endpointUrlIssue(url, privateHosts);
      if (issue !== undefined) throw new BlockedAddressError(`The address ${issue}`);
      return undiciFetch(url, { ...(await toUndici(init)), dispatcher: agent, redirect: 'manual' });
    },
    close: () => agent.destroy(),
  };
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
