import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A worker process like the one in production. */
export interface TestWorker {
  readonly pid: number;
  /** Everything it logged so far. */
  readonly log: () => string;
  /** Resolves when it has ended, for whatever cause. */
  readonly exited: Promise<unknown>;
  /** Ends it as a deployment does. */
  stop(): Promise<void>;
  /** Ends it as a crash does. */
  kill(): Promise<void>;
}

/** Starts `worker/main.ts` and waits until it takes tasks. */
export async function startTestWorker(environment: Record<string, string>): Promise<TestWorker> {
  const child = fork(fileURLToPath(new URL('../../worker/main.ts', import.meta.url)), {
    env: { PATH: process.env['PATH'], LOG_LEVEL: 'warn', ...environment },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: [],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data: Buffer) => (log += data.toString()));
  const exited = once(child, 'exit');
  const outcome = await Promise.race([once(child, 'message').then(() => 'ready'), exited.then(() => 'ended')]);
  if (outcome === 'ended' || child.pid === undefined) throw new Error(`the worker did not start:\n${log}`);
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await exited;
  };
  return { pid: child.pid, log: () => log, exited, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
}
