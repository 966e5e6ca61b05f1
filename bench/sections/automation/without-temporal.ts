import type { Instance } from '../../instance/instance.ts';

/** Does work while Temporal is killed and the supervisor, which would start another, stands still. */
export async function withoutTemporal<T>(instance: Instance, work: () => Promise<T>): Promise<T> {
  const pid = instance.pid('Temporal');
  if (pid === undefined) throw new Error('Temporal does not run');
  process.kill(instance.supervisor, 'SIGSTOP');
  try {
    process.kill(pid, 'SIGKILL');
    return await work();
  } finally {
    process.kill(instance.supervisor, 'SIGCONT');
  }
}
