import { readdirSync, readFileSync } from 'node:fs';

const LOOK_MS = 200;
const KB = 1024;
/** What the machine keeps free, in bytes, and the memory from which a command counts as its cause. */
const FLOOR = 128 * KB * KB;
const BLAMED_FROM = 64 * KB * KB;

/** Calls `onExceeded` once the processes below a process hold more than so many bytes; returns how to stop looking. */
export function watchMemory(pid: number, maxBytes: number, onExceeded: () => void): () => void {
  const timer = setInterval(() => {
    const bytes = memoryBelow(pid);
    if (bytes > maxBytes || (bytes > BLAMED_FROM && freeMemory() < FLOOR)) onExceeded();
  }, LOOK_MS);
  return () => clearInterval(timer);
}

/** Returns the memory of a process and of all below it, in bytes, without what they share as files. */
function memoryBelow(pid: number): number {
  let bytes = 0;
  // What the processes of a sandbox leave behind becomes a child of its first one.
  const open = [String(pid)];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const folder = `/proc/${next}`;
    const status = readIfThere(`${folder}/status`);
    for (const [, kilobytes] of status.matchAll(/^Rss(?:Anon|Shmem):\s*(\d+) kB$/gm)) bytes += Number(kilobytes) * KB;
    for (const thread of listIfThere(`${folder}/task`))
      open.push(...readIfThere(`${folder}/task/${thread}/children`).split(' ').filter(Boolean));
  }
  return bytes;
}

function freeMemory(): number {
  const kilobytes = /^MemAvailable:\s*(\d+) kB$/m.exec(readIfThere('/proc/meminfo'))?.[1];
  return kilobytes === undefined ? Number.POSITIVE_INFINITY : Number(kilobytes) * KB;
}

// A process may end at any moment.
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function listIfThere(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
