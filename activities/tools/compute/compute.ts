import { types } from 'node:util';
import { Worker } from 'node:worker_threads';
import { ToolFailure } from '../tool-failure.ts';
import type { ComputeAnswer, ComputeJob } from './job.ts';

/** Threads at work at once; further jobs wait. */
const MAX_THREADS = 4;
/** Threads kept for the next job: starting one takes some hundred milliseconds. */
const MAX_IDLE = 2;
const LIMITS = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };
const OUT_OF_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY';

const idle: Worker[] = [];
const waiting: (() => void)[] = [];
let working = 0;

/**
 * Runs a job in a thread of bounded memory, which is ended when the signal aborts; answers the JSON of its result. A
 * job that the input makes fail is a `ToolFailure`.
 */
export async function compute(job: ComputeJob, signal: AbortSignal): Promise<string> {
  await takeSlot(signal);
  try {
    signal.throwIfAborted();
    const answer = await runInThread(job, signal);
    if ('fault' in answer) throw new ToolFailure('invalid_input', answer.fault);
    return answer.text;
  } finally {
    freeSlot();
  }
}

async function takeSlot(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (working < MAX_THREADS) {
    working += 1;
    return;
  }
  await new Promise<void>((resolve, reject) => {
    const begin = () => {
      signal.removeEventListener('abort', leave);
      resolve();
    };
    const leave = () => {
      waiting.splice(waiting.indexOf(begin), 1);
      reject(signal.reason as Error);
    };
    waiting.push(begin);
    signal.addEventListener('abort', leave, { once: true });
  });
}

// The slot goes from one job to the next without being free in between.
function freeSlot(): void {
  const next = waiting.shift();
  if (next === undefined) working -= 1;
  else next();
}

async function runInThread(job: ComputeJob, signal: AbortSignal): Promise<ComputeAnswer> {
  const thread = idle.pop() ?? startThread();
  const { promise, resolve, reject } = Promise.withResolvers<ComputeAnswer>();
  const onError = (error: unknown) => reject(toFailure(error));
  const onExit = () => reject(new ToolFailure('upstream', 'The calculation was broken off'));
  const onAbort = () => reject(signal.reason as Error);
  thread.once('message', resolve).once('error', onError).once('exit', onExit);
  signal.addEventListener('abort', onAbort, { once: true });
  thread.ref();
  thread.postMessage(job, []);
  try {
    const answer = await promise;
    thread.off('exit', onExit).off('error', onError);
    release(thread);
    return answer;
  } catch (error) {
    void thread.terminate();
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function release(thread: Worker): void {
  if (idle.length >= MAX_IDLE) {
    void thread.terminate();
    return;
  }
  // It must not keep the process alive.
  thread.unref();
  idle.push(thread);
}

function startThread(): Worker {
  const thread = new Worker(new URL('thread.ts', import.meta.url), {
    resourceLimits: LIMITS,
    // Nothing of the service is in its reach: no settings, no arguments, no streams.
    env: {},
    argv: [],
    stdin: false,
    stdout: true,
    stderr: true,
  });
  // One that dies while it is idle is not handed out again, and does not take the process with it.
  const forget = () => {
    const place = idle.indexOf(thread);
    if (place !== -1) idle.splice(place, 1);
  };
  return thread.on('error', forget).on('exit', forget);
}

function toFailure(error: unknown): Error {
  const code = types.isNativeError(error) && 'code' in error ? error.code : undefined;
  if (code === OUT_OF_MEMORY) return new ToolFailure('invalid_input', 'The calculation needs too much memory');
  return types.isNativeError(error) ? error : new Error(String(error));
}
