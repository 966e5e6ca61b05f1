import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

let bootId: string | undefined;

/**
 * Returns a text that tells a running process from every other that had or will have the same id: when it was started,
 * and in which boot. Undefined when no such process runs; a zombie counts as gone.
 */
export function processIdentity(pid: number): string | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return process.platform === 'linux' ? linuxIdentity(pid) : psIdentity(pid);
}

function linuxIdentity(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may hold spaces and brackets itself, so count from the last one: state is field 3, the start
    // field 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    bootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${bootId} ${fields[19]}`;
  } catch {
    return undefined;
  }
}

function psIdentity(pid: number): string | undefined {
  const { stdout } = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' });
  const [state, ...started] = (stdout ?? '').trim().split(/\s+/);
  if (state === undefined || state === '' || state.startsWith('Z')) return undefined;
  return started.join(' ');
}
