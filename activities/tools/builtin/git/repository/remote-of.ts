import { createHash } from 'node:crypto';
import { readRemoteAddress, type RemoteAddress } from '../../../../../domain/git-remotes/index.ts';
import { ToolFailure } from '../../../tool-failure.ts';

/** Returns the address of a repository; throws a `ToolFailure` that says why it cannot be reached. */
export function remoteOf(text: string): RemoteAddress {
  const address = readRemoteAddress(text);
  if ('issue' in address) throw new ToolFailure('invalid_input', address.issue);
  return address;
}

/** Returns the name under which a repository keeps what a call does in it. */
export function markOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 32);
}
