import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Removes a folder in which commands have worked. They may leave folders that are closed to their own user, names that
 * are no text, and more levels than a path can hold. Links are removed, not followed.
 */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    // What it cannot open it says, and rm says again.
    await run('chmod', ['-R', 'u+rwX', '--', path], { env: {} }).catch(() => undefined);
    await run('rm', ['-rf', '--', path], { env: {} });
  }
}
