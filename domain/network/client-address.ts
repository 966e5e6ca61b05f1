import { readAddress } from './address.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

interface Path {
  /** The address at the other end of the connection; empty when it is no longer known. */
  readonly peer: string;
  /** The `X-Forwarded-For` header: the addresses that proxies report, the last one at the end. */
  readonly forwardedFor: string | undefined;
}

/** An address as some proxies write it: with a port, and IPv6 in brackets. */
const WITH_PORT = /^(?:\[(?<bracketed>[^\]]*)\]|(?<plain>[\d.]+))(?::\d{1,5})?$/;

/**
 * Returns the address that a request came from: that of the peer or, when the peer is a trusted proxy, the last one of
 * the list that is not. What stands before that was written by the client and says nothing, and neither does what is no
 * address.
 */
export function clientAddress({ peer, forwardedFor }: Path, proxies: TrustedProxies): string {
  let address = readAddress(peer)?.toString() ?? peer;
  if (forwardedFor === undefined) return address;
  for (let end = forwardedFor.length; end >= 0 && proxies.trusts(address);) {
    const start = forwardedFor.lastIndexOf(',', end - 1);
    const earlier = readHop(forwardedFor.slice(start + 1, end).trim());
    if (earlier === undefined) break;
    address = earlier;
    // The first entry has no comma before it.
    end = start;
  }
  return address;
}

function readHop(text: string): string | undefined {
  const groups = WITH_PORT.exec(text)?.groups;
  return readAddress(groups?.['bracketed'] ?? groups?.['plain'] ?? text)?.toString();
}
