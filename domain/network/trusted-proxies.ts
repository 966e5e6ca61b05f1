import type ipaddr from 'ipaddr.js';
import { entriesOf } from '../core/objects/entries-of.ts';
import { readAddress } from './address.ts';

/** The proxies whose word counts about where a request came from; from `TRUSTED_PROXIES`. */
export interface TrustedProxies {
  /** Returns whether the address is one of theirs. */
  trusts(address: string): boolean;
}

const ENTRY = /^(?<text>[^/]+)(?:\/(?<prefix>\d{1,3}))?$/;

type Network = readonly [address: ipaddr.IPv4 | ipaddr.IPv6, prefixLength: number];

/** Reads a comma-separated list of addresses and networks (`10.0.0.0/8`). Throws with the text of a faulty entry. */
export function parseTrustedProxies(list: string): TrustedProxies {
  const networks = entriesOf(list).map(parseNetwork);
  return {
    trusts: (address) => {
      if (networks.length === 0) return false;
      const parsed = readAddress(address);
      return parsed !== undefined && networks.some((network) => holds(network, parsed));
    },
  };
}

function parseNetwork(entry: string): Network {
  const { text = '', prefix } = ENTRY.exec(entry)?.groups ?? {};
  const address = readAddress(text);
  // Addresses are compared in their own family, so an IPv4 network in the guise of IPv6 would hold nothing.
  if (address === undefined || (text.includes(':') && address.kind() === 'ipv4'))
    throw new Error(`"${entry}" is neither an address nor a network such as 10.0.0.0/8`);
  const bits = address.kind() === 'ipv4' ? 32 : 128;
  const prefixLength = Number(prefix ?? bits);
  if (prefixLength > bits) throw new Error(`"${entry}" has a prefix longer than ${bits} bits`);
  if (prefixLength === 0) throw new Error(`"${entry}" covers every address, so anybody could forge theirs`);
  return [address, prefixLength];
}

function holds([address, prefixLength]: Network, other: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address.kind() === other.kind() && other.match(address, prefixLength);
}
