import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ADDRESSES } from './network.ts';
import { buildPrograms, surroundings, whyNoMachines } from './programs.ts';

const MARK = 'EVERTURN_CHAOS_MACHINES';

/** Returns whether this process may create machines: it is alone with its network, its mounts and its processes. */
export function isInside(): boolean {
  return process.env[MARK] !== undefined;
}

/**
 * Runs this program once more, as the first process of namespaces of its own, and returns its exit code. All that it
 * starts and mounts ends with it, and it ends with this process, however that ends; the network of the host is never
 * touched. Throws with the reason where there can be no machines.
 */
export async function enterMachines(signal: AbortSignal, say: (line: string) => void): Promise<number> {
  const reason = whyNoMachines(surroundings());
  if (reason !== undefined) throw new Error(`--machines is skipped: ${reason}`);
  await buildPrograms(say);
  const namespaces = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
  // The disks of the machines and the names of their namespaces go where nobody else sees them.
  const prepare = 'mount -t tmpfs -o mode=755 tmpfs /run && exec "$@"';
  const child = spawn(
    'setpriv',
    [
      '--pdeathsig',
      'KILL',
      'unshare',
      ...namespaces,
      'sh',
      '-c',
      prepare,
      'sh',
      process.execPath,
      ...process.execArgv,
      ...process.argv.slice(1),
    ],
    { env: { ...process.env, [MARK]: '1', TEST_LOCAL_ADDRESS: ADDRESSES.users }, stdio: 'inherit' },
  );
  const abort = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', abort);
  const [code] = (await once(child, 'exit')) as [number | null];
  signal.removeEventListener('abort', abort);
  return code ?? 1;
}
