import ipaddr from 'ipaddr.js';
import type { PrivateHosts } from './private-hosts.ts';
import { isPublicAddress } from './public-address.ts';

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
