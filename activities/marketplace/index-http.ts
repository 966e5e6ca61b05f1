import type { MarketplaceIndex } from '../../domain/marketplace/index.ts';
import { hostOf, portOf, type PrivateHosts } from '../../domain/network/index.ts';
import { BlockedAddressError } from '../core/network/address-guard.ts';
import type { GuardedFetch } from '../core/network/guarded-fetch.ts';
import { createGuardedHttp } from '../core/network/guarded-http.ts';

/** What the server of an index answered cannot be used. The message is shown to users. */
export class FetchFault extends Error {
  override readonly name = 'FetchFault';
}

/** What is fetched, and how much of it at most. */
interface Fetched {
  readonly url: string;
  readonly accept: string;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Fetches what an index names; throws a `FetchFault`, an `HttpFailure`, or the signal's reason. */
export type FetchOfIndex = (fetched: Fetched) => Promise<Buffer>;

interface WayOut {
  readonly fetch: GuardedFetch;
  readonly privateHosts: PrivateHosts;
}

/**
 * Returns how an index and its items are fetched: with the credentials of the index on its own server only, and without
 * encryption from private hosts only, redirects included. Who changes an index on its way changes the hashes with it.
 */
export function fetchOf(
  { fetch, privateHosts }: WayOut,
  { url: indexUrl, credentials }: MarketplaceIndex,
): FetchOfIndex {
  const http = createGuardedHttp(async (address, init) => {
    const url = new URL(address);
    if (url.protocol === 'http:' && !privateHosts.allows(hostOf(url), portOf(url)))
      throw new BlockedAddressError(
        `The address must begin with https://; within the own network the operator of the server can allow http:// to ${hostOf(url)}:${portOf(url)}`,
      );
    return fetch(address, init);
  });
  const authorization =
    credentials && `Basic ${Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64')}`;
  const home = new URL(indexUrl).origin;
  return async ({ url, accept, maxBytes, timeoutMs, signal }) => {
    const isHome = URL.parse(url)?.origin === home;
    const response = await http.request({
      url,
      method: 'GET',
      headers: { accept, ...(isHome && authorization !== undefined && { authorization }) },
      followRedirects: true,
      timeoutMs,
      maxBytes,
      signal,
    });
    if (response.status !== 200) throw new FetchFault(`The server answered with the status ${response.status}`);
    if (response.isTruncated) throw new FetchFault(`It is larger than ${maxBytes} bytes`);
    return response.body;
  };
}
