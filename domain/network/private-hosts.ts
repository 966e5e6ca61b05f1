import { entriesOf } from '../core/objects/entries-of.ts';

/** Hosts that outgoing calls may reach although their address is private; from `ALLOW_PRIVATE_HOSTS`. */
export interface PrivateHosts {
  /** Returns whether `host` (a name or an address, without brackets) on `port` was allowed by the operator. */
  allows(host: string, port: number): boolean;
}

const ENTRY = /^(?<host>\[[0-9a-f:.]+\]|[^:[\]\s]+):(?<port>\d{1,5}|\*)$/i;

/**
 * Reads a comma-separated list of `host:port`; the port may be `*`, IPv6 addresses stand in brackets.
 * Throws with the faulty entry's text when one is not of that form.
 */
export function parsePrivateHosts(list: string): PrivateHosts {
  const allowed = new Set<string>();
  for (const entry of entriesOf(list)) {
    const groups = ENTRY.exec(entry)?.groups;
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
