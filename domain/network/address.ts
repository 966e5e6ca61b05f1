import ipaddr from 'ipaddr.js';

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
 * Returns the network that limits count an address by: IPv4 as it is, of IPv6 the /64 that one customer is given whole.
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
