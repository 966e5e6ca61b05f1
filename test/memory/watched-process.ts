import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { HeapReport } from './report-heap.ts';

/** A process of the platform whose heap can be looked at. */
export interface WatchedProcess {
  readonly name: 'api' | 'worker';
  /** Returns the bytes that all its threads hold once their garbage is collected. */
  usedBytes(): Promise<number>;
  /** How it has ended; `undefined` while it runs. */
  ending(): string | undefined;
  /** Resolves when it has ended. */
  readonly ended: Promise<unknown>;
  kill(): Promise<void>;
}

const HEAP_LIMIT_MS = 60_000;

/** Starts the api or a worker as in production; does not wait until it is ready. */
export function startWatchedProcess(
  name: WatchedProcess['name'],
  environment: Record<string, string>,
  heapMegabytes?: number,
): WatchedProcess {
  const reporter = new URL('./report-heap.ts', import.meta.url).href;
  const child = fork(fileURLToPath(new URL(`../../${name}/main.ts`, import.meta.url)), {
    env: { PATH: process.env['PATH'], LOG_LEVEL: 'warn', ...environment },
    // Jest would take the words of a process whose heap is full for its own end.
    stdio: ['ignore', 'ignore', heapMegabytes === undefined ? 'inherit' : 'ignore', 'ipc'],
    execArgv: [
      '--expose-gc',
      '--import',
      reporter,
      ...(heapMegabytes === undefined ? [] : [`--max-old-space-size=${heapMegabytes}`]),
    ],
  });
  const exited = once(child, 'exit');
  return {
    name,
    usedBytes: async () =>
      new Promise((resolve, reject) => {
        const limit = setTimeout(() => reject(new Error(`the ${name} did not report its heap`)), HEAP_LIMIT_MS);
        const receive = (message: unknown) => {
          if (!isReport(message)) return;
          clearTimeout(limit);
          child.off('message', receive);
          resolve(message.bytesOfThreads.reduce((sum, bytes) => sum + bytes));
        };
        child.on('message', receive);
        child.send('heap');
      }),
    ended: exited,
    ending: () => child.signalCode ?? child.exitCode?.toString(),
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function isReport(message: unknown): message is HeapReport {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === 'heap';
}
