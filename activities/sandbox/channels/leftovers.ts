import { readdirSync, statSync } from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTree } from '../remove-tree.ts';

/** The begin of the names of sandboxes' folders in the temporary folder. */
export const FOLDER_PREFIX = 'evt-';
/** The socket on which the owner of a folder can be reached, as long as it lives. */
const SIGN_OF_LIFE = 'alive';

/** Tells others that a folder has an owner. The system answers for one that stands still, and not for one that died. */
export function showLife(folder: string): Server {
  const server = createServer((socket) => socket.destroy());
  // Without it a folder that is left behind stays there, which does no harm.
  server.on('error', () => undefined);
  server.listen(join(folder, SIGN_OF_LIFE));
  return server.unref();
}

/** Removes the folders of workers that were killed, of the same user. */
export async function removeLeftovers(): Promise<void> {
  const folders = readdirSync(tmpdir())
    .filter((name) => name.startsWith(FOLDER_PREFIX))
    .map((name) => join(tmpdir(), name))
    .filter(isOwn);
  for (const folder of folders) if (await isAbandoned(folder)) await removeTree(folder);
}

function isOwn(folder: string): boolean {
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && stats.uid === process.getuid?.();
}

// Whatever else the answer is, somebody may be there.
async function isAbandoned(folder: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = createConnection(join(folder, SIGN_OF_LIFE));
  socket.on('connect', () => resolve(false));
  socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
  const isLeft = await promise;
  socket.destroy();
  return isLeft;
}
