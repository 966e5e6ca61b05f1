import { parentPort } from 'node:worker_threads';
import type { ComputeAnswer, ComputeJob } from './job.ts';

// The body of a compute thread. What it runs was written by a model or a stranger, so the prototypes that all jobs of the
// thread share are closed. Libraries are loaded when they are first asked for.

const MAX_TEXT = 8_000_000;
const MAX_FAULT = 300;

closePrototypes();

parentPort?.on('message', (job: ComputeJob) => {
  void answer(job).then((result) => parentPort?.postMessage(result, []));
});

async function answer(job: ComputeJob): Promise<ComputeAnswer> {
  try {
    const text = JSON.stringify(await run(job)) ?? 'null';
    if (text.length > MAX_TEXT) return { fault: 'The result is too large; ask for less of it' };
    return { text };
  } catch (error) {
    return { fault: describe(error) };
  }
}

async function run(job: ComputeJob): Promise<unknown> {
  if (job.kind === 'math') return (await import('./evaluate-math.ts')).evaluateMath(job);
  if (job.kind === 'json_query') return (await import('./query-json.ts')).queryJson(job);
  if (job.kind === 'patch') return (await import('./apply-diff.ts')).applyDiff(job);
  return (await import('./match-paths.ts')).matchPaths(job);
}

function describe(error: unknown): string {
  if (error instanceof RangeError && error.message.includes('call stack')) return 'The expression nests too deep';
  if (error instanceof TypeError && error.message.includes('circular')) return 'The result is not a JSON value';
  const message = (error as { message?: unknown } | null)?.message;
  return typeof message === 'string' && message !== ''
    ? message.slice(0, MAX_FAULT)
    : 'The expression could not be run';
}

function closePrototypes(): void {
  Reflect.deleteProperty(Object.prototype, '__proto__');
  for (const shared of [Object, Array, Function, String, Number, Boolean, RegExp, Date, Promise, Map, Set]) {
    // Closed to new names, not frozen: libraries give objects of their own a toString, which a frozen one would forbid.
    Reflect.preventExtensions(shared.prototype);
  }
}
