import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

/** One running process and the words it was started with, or the title it has given itself. */
export type CommandLine = { readonly pid: number; readonly words: readonly string[] };

/** Returns all processes that this user may see. On systems without /proc the words are split at spaces. */
export function commandLines(): CommandLine[] {
  if (process.platform !== 'linux') return fromPs();
  const found: CommandLine[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const words = commandLine(Number(name));
    if (words !== undefined) found.push({ pid: Number(name), words });
  }
  return found;
}

/** Returns the words of one process; undefined when it is gone or has none (a zombie, a thread of the kernel). */
export function commandLine(pid: number): readonly string[] | undefined {
  if (process.platform !== 'linux') return fromPs(pid)[0]?.words;
  try {
    const text = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replace(/\0+$/, '');
    return text === '' ? undefined : text.split('\0');
  } catch {
    return undefined;
  }
}

function fromPs(pid?: number): CommandLine[] {
  const { stdout } = spawnSync('ps', [...(pid === undefined ? ['-ax'] : ['-p', String(pid)]), '-o', 'pid=,command='], {
    encoding: 'utf8',
  });
  return (stdout ?? '').split('\n').flatMap((line) => {
    const [id, ...words] = line.trim().split(/\s+/);
    return id === undefined || words.length === 0 ? [] : [{ pid: Number(id), words }];
  });
}
