import ipaddr from 'ipaddr.js';
import type { PrivateHosts } from './private-hosts.ts';
import { isPublicAddress } from './public-address.ts';

/**
 * Returns why `url` cannot be an outgoing endpoint, or `undefined` when its text is acceptable. A host name may still
 * resolve to a private address: the client checks that when it connects.
 */
export function endpointUrlIssue(url: string, privateHosts: PrivateHosts): string | undefined {
  const parsed = URL.parse(url);
  if (parsed === null) return 'is not a valid URL';
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') return 'must begin with https:// or http://';
  if (parsed.username !== '' || parsed.password !== '') return 'must not contain a user name or password';
  const host = hostOf(parsed);
  if (!isPrivateLiteral(host) || privateHosts.allows(host, portOf(parsed))) return undefined;
  return `leads to a private address; the operator can allow it with ALLOW_PRIVATE_HOSTS=${host}:${portOf(parsed)}`;
}

/**
 * Returns why `url` cannot be stored as the address that the paths of an API are appended to, or `undefined`. What a
 * fragment, a blank or a control character leads to would depend on who reads the address.
 */
export function baseUrlIssue(url: string, privateHosts: PrivateHosts): string | undefined {
  if (/[\s\p{Cc}]/u.test(url)) return 'must not contain blanks or control characters';
  if (url.includes('#')) return 'must not contain a fragment (#)';
  return endpointUrlIssue(url, privateHosts);
}

/** Returns the host name or address of a URL, IPv6 without brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** Returns the port of an http or https URL, the default one of the scheme when none is written. */
export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

function isPrivateLiteral(name: string): boolean {
  const host = name.replace(/\.$/, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return ipaddr.isValid(host) && !isPublicAddress(host);
}
