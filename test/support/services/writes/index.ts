import type { SeenRequest } from '../../outside-server.ts';
import { BUSINESS_WRITES } from './business-writes.ts';
import { CHAT_WRITES } from './chat-writes.ts';
import { CODE_HOST_WRITES } from './code-host-writes.ts';
import { GOOGLE_WRITES } from './google-writes.ts';
import type { KnownWrite, KnownWrites } from './known-write.ts';
import { TEAM_WORK_WRITES } from './team-work-writes.ts';

export { type KnownWrite, type KnownWrites, TOKEN } from './known-write.ts';

/** Writes of each builtin tool that works with the HTTP service of an integration: of each effect that it has one. */
export const KNOWN_WRITES: readonly KnownWrites[] = [
  ...BUSINESS_WRITES,
  ...CHAT_WRITES,
  ...CODE_HOST_WRITES,
  ...GOOGLE_WRITES,
  ...TEAM_WORK_WRITES,
];

/** Returns the write that a request makes; undefined for a request that reads. */
export function writeOf({ method, url }: Pick<SeenRequest, 'method' | 'url'>): KnownWrite | undefined {
  const [, kind = ''] = url.split('/', 2);
  const [path = ''] = url.split('?', 1);
  const { writes = [] } = KNOWN_WRITES.find((known) => known.kind === kind) ?? {};
  return writes.find((write) => write.method === method && path.endsWith(write.path));
}

/** Returns what a service answers to a request that reads, whose path begins with the kind of the integration. */
export function readAt({ method, url }: Pick<SeenRequest, 'method' | 'url'>): unknown {
  const [, kind = ''] = url.split('/', 2);
  const [path = ''] = url.split('?', 1);
  const reads = KNOWN_WRITES.find((known) => known.kind === kind)?.reads ?? {};
  return Object.entries(reads).find(([route]) => {
    const [verb, end = ''] = route.split(' ');
    return verb === method && path.endsWith(end);
  })?.[1];
}
