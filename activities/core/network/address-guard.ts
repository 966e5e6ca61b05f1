import { lookup as resolve } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { endpointUrlIssue, hostOf, isPublicAddress, portOf, type PrivateHosts } from '../../../domain/network/index.ts';

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
 * Says which destinations may be reached. The address that is checked is the one that is connected to: the check sits
 * in the socket's own look-up, so a name that resolves differently a moment later gains nothing.
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
