import ipaddr from 'ipaddr.js';

// Azure's host agent, which ipaddr.js takes for a public address; it serves what a virtual machine is set up with.
// Those of other clouds lie in ranges that are refused anyway.
const HOST_AGENT = '168.63.129.16';

// What of IPv6 is handed out for use on the internet (RFC 4291, section 2.4). Networks beside it are private ones,
// whatever ipaddr.js says of each.
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Returns whether `address` (an IPv4 or IPv6 literal, mapped forms included) is reachable on the public internet. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv6 ? parsed.match(GLOBAL_UNICAST) : parsed.toString() !== HOST_AGENT;
}
