import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname } from 'node:path';

/** Returns the folders of the sandboxes that this process has open; other test files have theirs in the same place. */
export function ownSandboxFolders(): string[] {
  const sockets = new Set(readdirSync('/proc/self/fd').map(inodeOfSocket));
  return readFileSync('/proc/net/unix', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , , , , inode = '', path = '']) => sockets.has(inode) && path.endsWith('/alive'))
    .map(([, , , , , , , path = '']) => dirname(path));
}

// A descriptor of the listing itself is closed by now.
function inodeOfSocket(descriptor: string): string | undefined {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${descriptor}`))?.[1];
  } catch {
    return undefined;
  }
}
