import ipaddr from 'ipaddr.js';

// Ranges that ipaddr.js calls unicast although they lead to private networks: deprecated IPv4-compatible addresses,
// and the NAT64 local-use prefix of RFC 8215.
const EXTRA_PRIVATE_RANGES = ['::/96', '64:ff9b:1::/48'].map((range) => ipaddr.IPv6.parseCIDR(range));

/** Whether `address` (an IPv4 or IPv6 literal, mapped forms included) is reachable on the public internet. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  return !(parsed instanceof ipaddr.IPv6) || !EXTRA_PRIVATE_RANGES.some((range) => parsed.match(range));
}
