import { rejectFaults } from '../core/invalid-fields.ts';
import { baseUrlIssue, type PrivateHosts } from '../network/index.ts';

type AttachedServers = readonly Readonly<Record<string, unknown>>[];

/** Rejects MCP servers of an agent at addresses that outgoing calls may not reach. */
export function requireReachable(servers: AttachedServers = [], privateHosts: PrivateHosts): void {
  rejectFaults(
    servers.flatMap(({ url }, index) => {
      const message = typeof url === 'string' ? baseUrlIssue(url, privateHosts) : undefined;
      return message === undefined ? [] : [{ path: ['mcps', index, 'url'], message }];
    }),
  );
}

/** Returns the id of the record that an entry names; undefined for an address without one. */
export function idOfServer({ id, server_id: serverId }: AttachedServers[number]): string | undefined {
  const named = id ?? serverId;
  return typeof named === 'string' ? named : undefined;
}
