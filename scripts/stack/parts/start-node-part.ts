import { rmSync } from 'node:fs';
import { join } from 'node:path';

import { checkout } from '../core/files.ts';
import { waitUntil } from '../core/wait.ts';
import { writeRunRecord } from '../processes.ts';
import { type Log, type PartProcess, type RunningPart, spawnPart } from './spawn-part.ts';

/** A process of the platform itself: the api, the worker. */
export type NodePartOptions = {
  /** The TypeScript file to run, relative to the checkout. */
  readonly entry: string;
  readonly heapMegabytes: number;
  /** The size of the nursery for new objects, of which three times as much stays resident in each thread. */
  readonly nurseryMegabytes: number;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  /** The file that records the process for a later run. */
  readonly recordFile: string;
  /**
   * How the part reports that it is ready: this address responds with 200, or it sends the message `ready` to its
   * parent.
   */
  readonly ready: { readonly url: string } | 'message';
  /**
   * How the part is checked later: it sends `pong` for each `ping`, over the channel between the two, which no other
   * request can block. Undefined means no check.
   */
  readonly healthy?: 'message';
  readonly signal?: AbortSignal;
};

/** Settings of the C library that keep the processes small; the operator's own come first. */
const memorySettings = {
  // glibc would give each thread of the Temporal SDK a heap of its own, and keep what is freed there. Returning more
  // to the system (MALLOC_TRIM_THRESHOLD_) saves as much again, but costs a tenth of the worker's processor time.
  MALLOC_ARENA_MAX: '2',
};

/** A busy machine takes minutes to load the code and bundle the workflows, and a new attempt begins from nothing. */
const readyLimitMs = 300_000;

/** A process of the platform gives up by itself after 10 s, and logs what it waited for. */
const stopLimitMs = 12_000;

/**
 * Starts a process of the platform and resolves when it is ready. Rejects when it ends before that, or takes too long.
 */
export async function startNodePart(options: NodePartOptions): Promise<RunningPart> {
  const { entry, heapMegabytes, nurseryMegabytes, env, log, recordFile, ready, healthy, signal } = options;
  const part = await spawnPart({
    command: process.execPath,
    args: [
      '--disable-warning=ExperimentalWarning',
      `--max-old-space-size=${heapMegabytes}`,
      `--max-semi-space-size=${nurseryMegabytes}`,
      join(checkout, entry),
    ],
    cwd: checkout,
    env: { ...memorySettings, ...env },
    log,
    ipc: true,
  });
  writeRunRecord(recordFile, part.pid);
  void part.exited.then(() => rmSync(recordFile, { force: true }));
  const stop = (): Promise<void> => part.end([{ signal: 'SIGTERM', limitMs: stopLimitMs }]);
  try {
    const isReady = ready === 'message' ? readyMessage(part) : () => answers(ready.url);
    const inTime = await waitUntil(async () => part.hasExited() || (await isReady()), {
      limitMs: readyLimitMs,
      everyMs: 50,
      signal,
    });
    if (part.hasExited()) throw new Error(`it ended with ${await part.exited}`);
    if (!inTime)
      throw new Error(signal?.aborted ? 'it was called off' : `it was not ready within ${readyLimitMs / 1000} s`);
  } catch (error) {
    await stop();
    throw error;
  }
  const running = { pid: part.pid, exited: part.exited, stop, kill: part.kill };
  if (healthy === undefined) return running;
  // A part that others have asked to end answers no checks, and gets the time that we would give it.
  let isEnding = false;
  part.child.on('message', (message) => {
    if (message !== 'stopping') return;
    isEnding = true;
    setTimeout(part.kill, stopLimitMs).unref();
  });
  return { ...running, answers: async () => isEnding || pong(part) };
}

async function pong(part: PartProcess): Promise<boolean> {
  return new Promise((resolve) => {
    const hear = (message: unknown): void => {
      if (message !== 'pong') return;
      part.child.off('message', hear);
      resolve(true);
    };
    part.child.on('message', hear);
    part.child.send('ping', (error) => {
      if (error !== null) resolve(false);
    });
  });
}

function readyMessage(part: PartProcess): () => boolean {
  let ready = false;
  part.child.on('message', (message) => {
    if (message === 'ready') ready = true;
  });
  return () => ready;
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000) });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
}
