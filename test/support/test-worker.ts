import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { waitUntil } from './wait-until.ts';

/** A worker process like the one in production. */
export interface TestWorker {
  readonly pid: number;
  /** Everything it logged so far, since that was last taken. */
  readonly log: () => string;
  /** Returns the same, and forgets it. */
  readonly takeLog: () => string;
  /** Resolves when it has dealt with the signals that it was sent before. */
  heard(): Promise<void>;
  /** Resolves when it has ended, for whatever cause. */
  readonly exited: Promise<unknown>;
  /** Ends it as a deployment does. */
  stop(): Promise<void>;
  /** Ends it as a crash does. */
  kill(): Promise<void>;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** What a worker says that ends because Temporal did not respond in time. */
const UNANSWERED = /Timeout expired|DEADLINE_EXCEEDED/;

/**
 * Starts `worker/main.ts` of a checkout, this one unless given, and waits until it takes tasks. One that Temporal does
 * not respond to is started again, as its supervisor does.
 */
export async function startTestWorker(environment: Record<string, string>, checkout = ROOT): Promise<TestWorker> {
  return waitUntil('a worker to take tasks', async () => tryStart(environment, checkout));
}

async function tryStart(environment: Record<string, string>, checkout: string): Promise<TestWorker | undefined> {
  const child = fork(join(checkout, 'worker/main.ts'), {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      LOG_LEVEL: 'warn',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: [],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data: Buffer) => (log += data.toString()));
  const exited = once(child, 'exit');
  const outcome = await Promise.race([
    once(child, 'message').then(() => 'ready'),
    once(child, 'close').then(() => 'ended'),
  ]);
  if (outcome === 'ended' && UNANSWERED.test(log)) return undefined;
  if (outcome === 'ended' || child.pid === undefined) throw new Error(`the worker did not start:\n${log}`);
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await exited;
  };
  const takeLog = () => {
    const taken = log;
    log = '';
    return taken;
  };
  // Signals are dealt with in the same turn of its event loop as a message that arrives after them.
  const heard = async () => {
    const pong = once(child, 'message');
    child.send('ping');
    await pong;
  };
  const { pid } = child;
  return { pid, log: () => log, takeLog, heard, exited, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
}
