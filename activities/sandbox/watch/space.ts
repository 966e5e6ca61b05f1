import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';

const LOOK_MS = 1_000;
/** What the disk keeps free, in bytes. */
const FLOOR = 256 * 1024 * 1024;
const LONGEST_LOOK_MS = 10_000;

/** How much a folder may hold: bytes on the disk, and names of files and folders. */
export interface Space {
  readonly bytes: number;
  readonly names: number;
}

/** Calls `onExceeded` once a folder holds more than it may; returns how to stop looking. */
export function watchSpace(folder: string, space: Space, onExceeded: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const lookLater = (): void => {
    timer = setTimeout(() => void look(), LOOK_MS);
  };
  const look = async (): Promise<void> => {
    const isExceeded = await exceeds(folder, space).catch(() => true);
    if (isStopped) return;
    if (isExceeded) onExceeded();
    else lookLater();
  };
  lookLater();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

/** Returns whether a folder holds more than it may. What cannot be looked into counts as too much. */
async function exceeds(folder: string, { bytes, names }: Space): Promise<boolean> {
  const [size, count, disk] = await Promise.all([
    totalOf(['-sB1', '--', folder]),
    totalOf(['-s', '--inodes', '--', folder]),
    statfs(folder),
  ]);
  return size > bytes || count > names || disk.bavail * disk.bsize < FLOOR;
}

async function totalOf(options: readonly string[]): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const limits = { env: { LC_ALL: 'C' }, timeout: LONGEST_LOOK_MS };
  execFile('du', options, limits, (_error, stdout, stderr) => {
    // Files that vanish while it looks are no fault.
    const total = /^\d+/.exec(stdout)?.[0];
    resolve(total === undefined || stderr.includes('Permission denied') ? Number.POSITIVE_INFINITY : Number(total));
  });
  return promise;
}
