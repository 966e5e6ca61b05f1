import ipaddr from 'ipaddr.js';
import { entriesOf } from '../core/objects.ts';

/**
 * Reads an address of IPv4 (four decimal parts) or IPv6; `undefined` for any other text. An IPv4 address that is
 * written as an IPv6 one (`::ffff:192.0.2.1`) is the IPv4 address; the zone of a link-local one is left out.
 */
export function readAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  const [address = ''] = text.split('%', 1);
  return ipaddr.IPv6.isValid(address) ? ipaddr.process(address) : undefined;
}

/**
 * Returns the network by which limits count an address: IPv4 addresses by themselves, IPv6 addresses by the /64 that
 * one customer gets as a whole.
 */
export function networkOf(address: string): string {
  const parsed = readAddress(address);
  if (!(parsed instanceof ipaddr.IPv6)) return address;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`).toString()}/64`;
}

/** Returns whether an address is one of this machine's own. */
export function isLoopback(address: string): boolean {
  return readAddress(address)?.range() === 'loopback';
}

// Azure's host agent, which ipaddr.js takes for a public address; it serves what a virtual machine is set up with.
// Those of other clouds lie in ranges that are refused anyway.
const HOST_AGENT = '168.63.129.16';

// The IPv6 addresses that are assigned for the internet (RFC 4291, section 2.4). Networks outside are private, whatever
// ipaddr.js says of each.
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Returns whether `address` (an IPv4 or IPv6 literal, mapped forms included) is reachable on the public internet. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv6 ? parsed.match(GLOBAL_UNICAST) : parsed.toString() !== HOST_AGENT;
}

/** Hosts that outgoing calls may reach although their address is private; from `ALLOW_PRIVATE_HOSTS`. */
export interface PrivateHosts {
  /** Returns whether `host` (a name or an address, without brackets) on `port` was allowed by the operator. */
  allows(host: string, port: number): boolean;
}

const HOST_ENTRY = /^(?<host>\[[0-9a-f:.]+\]|[^:[\]\s]+):(?<port>\d{1,5}|\*)$/i;

/**
 * Reads a comma-separated list of `host:port`; the port may be `*`, IPv6 addresses are in brackets. Throws with the
 * faulty entry's text when one is not of that form.
 */
export function parsePrivateHosts(list: string): PrivateHosts {
  const allowed = new Set<string>();
  for (const entry of entriesOf(list)) {
    const groups = HOST_ENTRY.exec(entry)?.groups;
    if (groups === undefined) throw new Error(`"${entry}" is not of the form host:port`);
    allowed.add(`${normalizeHost(groups['host'] ?? '')}:${groups['port'] ?? ''}`);
  }
  return {
    allows: (host, port) => {
      const name = normalizeHost(host);
      return allowed.has(`${name}:${port}`) || allowed.has(`${name}:*`);
    },
  };
}

function normalizeHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}

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
 * the list that is not. Entries before that were written by the client and prove nothing; neither do entries that are
 * not addresses.
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

/** The proxies whose word counts about where a request came from; from `TRUSTED_PROXIES`. */
export interface TrustedProxies {
  /** Returns whether the address is one of theirs. */
  trusts(address: string): boolean;
}

const PROXY_ENTRY = /^(?<text>[^/]+)(?:\/(?<prefix>\d{1,3}))?$/;

type Network = readonly [address: ipaddr.IPv4 | ipaddr.IPv6, prefixLength: number];

/** Reads a comma-separated list of addresses and networks (`10.0.0.0/8`). Throws with the text of a faulty entry. */
export function parseTrustedProxies(list: string): TrustedProxies {
  const networks = entriesOf(list).map(parseNetwork);
  return {
    trusts: (address) => {
      if (networks.length === 0) return false;
      const parsed = readAddress(address);
      return parsed !== undefined && networks.some((network) => contains(network, parsed));
    },
  };
}

function parseNetwork(entry: string): Network {
  const { text = '', prefix } = PROXY_ENTRY.exec(entry)?.groups ?? {};
  const address = readAddress(text);
  // Addresses are compared within their own family, so an IPv4 network mapped to IPv6 would match nothing.
  if (address === undefined || (text.includes(':') && address.kind() === 'ipv4'))
    throw new Error(`"${entry}" is neither an address nor a network such as 10.0.0.0/8`);
  const bits = address.kind() === 'ipv4' ? 32 : 128;
  const prefixLength = Number(prefix ?? bits);
  if (prefixLength > bits) throw new Error(`"${entry}" has a prefix longer than ${bits} bits`);
  if (prefixLength === 0) throw new Error(`"${entry}" covers every address, so anybody could forge theirs`);
  return [address, prefixLength];
}

function contains([address, prefixLength]: Network, other: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address.kind() === other.kind() && other.match(address, prefixLength);
}
