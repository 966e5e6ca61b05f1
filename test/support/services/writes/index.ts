import type { SeenRequest } from '../../outside-server.ts';
import { BUSINESS_WRITES } from './business-writes.ts';
import { CHAT_WRITES } from './chat-writes.ts';
import { CODE_HOST_WRITES } from './code-host-writes.ts';
import { GOOGLE_WRITES } from './google-writes.ts';
import type { KnownWrite, KnownWrites } from './known-write.ts';
import { OPERATIONS_WRITES } from './operations-writes.ts';
import { TEAM_WORK_WRITES } from './team-work-writes.ts';

export { type KnownWrite, type KnownWrites, TOKEN } from './known-write.ts';

/** Writes of each builtin tool that works with the HTTP service of an integration: of each effect that it has one. */
export const KNOWN_WRITES: readonly KnownWrites[] = [
  ...BUSINESS_WRITES,
  ...CHAT_WRITES,
  ...CODE_HOST_WRITES,
  ...GOOGLE_WRITES,
  ...OPERATIONS_WRITES,
  ...TEAM_WORK_WRITES,
];

/** Returns the write that a request makes; undefined for a request that reads. */
export function writeOf(request: SeenRequest): KnownWrite | undefined {
  const { method, body } = request;
  const { path, known } = locationOf(request);
  return known?.writes.find(
    (write) => write.method === method && path.endsWith(write.path) && body.includes(write.mark ?? ''),
  );
}

/** Returns what a service answers to a request that reads, after these requests that have written. */
export function readAt(request: SeenRequest, written: readonly SeenRequest[] = []): unknown {
  const { path, known } = locationOf(request);
  const after = written.flatMap((each) => Object.entries(writeOf(each)?.readsAfter?.(each) ?? {}));
  return [...after, ...Object.entries(known?.reads ?? {})].find(([route]) => {
    const [verb, end = ''] = route.split(' ');
    return verb === request.method && path.endsWith(end);
  })?.[1];
}

// The path of a request begins with the kind of the integration.
function locationOf({ url }: SeenRequest) {
  const [path = ''] = url.split('?', 1);
  const [, kind = ''] = path.split('/', 2);
  return { path, known: KNOWN_WRITES.find((known) => known.kind === kind) };
}
