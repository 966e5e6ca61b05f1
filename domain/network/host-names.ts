import ipaddr from 'ipaddr.js';
import { entriesOf } from '../core/objects.ts';
import { isPublicAddress, type PrivateHosts, readAddress } from './addresses.ts';

/** A name of DNS, or one of the kind that hosts files and containers use. */
const NAME = /^(?=.{1,253}$)[\w-]{1,63}(?:\.[\w-]{1,63})*$/;
const HOST = /^(?:\[(?<address>[\da-f.]*:[\da-f:.]*)\]|(?<name>[\w.-]{1,254}))(?::\d{0,5})?$/i;

/** Names under which the service may be called. */
export type HostNames = ReadonlySet<string>;

/** Reads a comma-separated list of host names, without ports. Throws with the text of a faulty entry. */
export function parseHostNames(list: string): HostNames {
  return new Set(entriesOf(list).map(readName));
}

function readName(entry: string): string {
  const name = normalize(entry);
  if (!NAME.test(name)) throw new Error(`"${entry}" is not a host name; write it without scheme and port`);
  return name;
}

/** Returns the host name in a `Host` header or in the authority of a URL; `undefined` when the text is none. */
export function hostNameOf(host: string): string | undefined {
  const groups = HOST.exec(host)?.groups;
  const { address, name } = groups ?? {};
  if (address !== undefined) return readAddress(address)?.toString();
  if (name === undefined) return undefined;
  const normalized = normalize(name);
  return NAME.test(normalized) ? normalized : undefined;
}

/**
 * Returns whether a name is one that the service may be called by: a known one, one that always means this machine, or
 * an address. A page that has its own name lead here (DNS rebinding) has none of these.
 */
export function isKnownHost(name: string, known: HostNames): boolean {
  return known.has(name) || name === 'localhost' || name.endsWith('.localhost') || readAddress(name) !== undefined;
}

function normalize(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

/**
 * Returns why `url` cannot be an outgoing endpoint, or `undefined` when its text is acceptable. A host name may still
 * resolve to a private address: the client checks that when it connects.
 */
export function endpointUrlIssue(
  url: string,
  privateHosts: PrivateHosts,
  schemes: readonly string[] = ['https', 'http'],
): string | undefined {
  const parsed = URL.parse(url);
  if (parsed === null) return 'is not a valid URL';
  if (!schemes.includes(parsed.protocol.slice(0, -1)))
    return `must begin with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`;
  if (parsed.hostname === '') return 'must name a host';
  if (parsed.username !== '' || parsed.password !== '') return 'must not contain a user name or password';
  const host = hostOf(parsed);
  if (host.includes('%')) return 'must not contain escapes (%) in its host';
  if (!isPrivateLiteral(host) || privateHosts.allows(host, portOf(parsed))) return undefined;
  return `leads to a private address; the operator of the server can allow ${host}:${portOf(parsed)}`;
}

/**
 * Returns why `url` cannot be stored as the address that the paths of an API are appended to, or `undefined`. What a
 * fragment, a blank or a control character leads to would depend on who reads the address.
 */
export function baseUrlIssue(url: string, privateHosts: PrivateHosts, schemes?: readonly string[]): string | undefined {
  if (/[\s\p{Cc}]/u.test(url)) return 'must not contain blanks or control characters';
  if (url.includes('#')) return 'must not contain a fragment (#)';
  return endpointUrlIssue(url, privateHosts, schemes);
}

/** Returns the host name or address of a URL, IPv6 without brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** The ports of schemes where an address names none. */
const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  'https:': 443,
  'http:': 80,
  'smtp:': 587,
  'smtps:': 465,
  'imap:': 143,
  'imaps:': 993,
  'postgres:': 5432,
  'mysql:': 3306,
  'redis:': 6379,
  'rediss:': 6379,
};

/** Returns the port of a URL, the default one of the scheme when none is written. */
export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return DEFAULT_PORTS[url.protocol] ?? 443;
}

function isPrivateLiteral(name: string): boolean {
  const host = name.replace(/\.$/, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return ipaddr.isValid(host) && !isPublicAddress(host);
}

/** The origins of pages that may read responses, as a browser's `Origin` header names them. */
export type Origins = ReadonlySet<string>;

/** Reads a comma-separated list of origins. Throws with the text of a faulty entry. */
export function parseOrigins(list: string): Origins {
  return new Set(entriesOf(list).map(readOrigin));
}

function readOrigin(entry: string): string {
  const url = URL.parse(entry);
  const isWritten = url !== null && (entry === url.origin || entry === `${url.origin}/`);
  if (isWritten && /^https?:$/.test(url.protocol)) return url.origin;
  throw new Error(`"${entry}" is not an origin; write it like https://console.example.com`);
}

/** One mail address, without a name: neither a second address nor another line fits into it. */
export const MAIL_ADDRESS = /^[^\s<>,;:"()[\]\\@]{1,64}@[^\s<>,;:"()\\@]{1,255}$/;
