import { type ChildProcess, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { waitUntil } from '../../scripts/stack/core/wait.ts';
import { processIdentity } from '../../scripts/stack/processes/process-identity.ts';
import { signalProcess } from '../../scripts/stack/processes/run-record.ts';

/** How long the processes have to end in order: PostgreSQL writes a checkpoint, a supervisor stops its parts. */
const LIMIT_MS = 20_000;

/**
 * Ends a child and every process below it, also those that lead a process group of their own: asks first, kills those
 * that take too long.
 */
export async function endTree({ pid }: Pick<ChildProcess, 'pid'>): Promise<void> {
  if (pid === undefined) return;
  // Those whose parent has ended belong to nobody: all are noted before the first one ends.
  const tree = withDescendants(pid).map((each) => ({ pid: each, identity: processIdentity(each) }));
  const left = () =>
    tree.filter(({ pid: each, identity }) => identity !== undefined && processIdentity(each) === identity);
  // SIGINT is PostgreSQL's fast shutdown; to all others it is what SIGTERM is.
  for (const each of left()) signalProcess(each.pid, 'SIGINT');
  await waitUntil(() => left().length === 0, { limitMs: LIMIT_MS });
  for (const each of left()) signalProcess(each.pid, 'SIGKILL');
}

function withDescendants(root: number): number[] {
  const children = Map.groupBy(parents(), ({ parent }) => parent);
  const found = [root];
  for (const pid of found) found.push(...(children.get(pid) ?? []).map((child) => child.pid));
  return found;
}

function parents(): { readonly pid: number; readonly parent: number }[] {
  if (process.platform !== 'linux') return parentsFromPs();
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The name in brackets may hold spaces and brackets itself; the state follows it, then the parent.
      const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return [{ pid: Number(name), parent: Number(parent) }];
    } catch {
      return [];
    }
  });
}

function parentsFromPs(): { readonly pid: number; readonly parent: number }[] {
  const { stdout } = spawnSync('ps', ['-axo', 'pid=,ppid='], { encoding: 'utf8' });
  return stdout.split('\n').flatMap((line) => {
    const [pid, parent] = line.trim().split(/\s+/).map(Number);
    return pid === undefined || parent === undefined ? [] : [{ pid, parent }];
  });
}
