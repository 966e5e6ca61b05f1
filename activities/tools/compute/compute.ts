import { CRASH_MS, KeyedSemaphore, type Payer } from '../../../domain/core/keyed-semaphore.ts';
import { ProcessDied, ToolFailure } from '../tool-failure.ts';
import { ComputeChild, type JobInput } from './compute-child.ts';
import type { ComputeJob } from './job.ts';
import { DOCUMENT_PROGRAM } from './start-child.ts';

/** Processes kept for the next job: starting one takes some hundred milliseconds. */
const MAX_IDLE = 2;
/** How long an idle process is kept. */
const IDLE_MS = 10 * 60_000;

// Keyed by payer; sizes are characters.
const slots = new KeyedSemaphore({
  perKey: 2,
  total: 4,
  maxWaiting: 200,
  maxWaitingSize: 8_000_000,
  createError: () =>
    new ToolFailure('rate_limited', 'Too many calculations of your organization are waiting; try again later'),
});
const idle: { readonly child: ComputeChild; readonly leave: NodeJS.Timeout }[] = [];

/** Bounds of one calculation, beside those of all. */
export interface ComputeOptions {
  /** The size of a job that is given as a function, in characters. */
  readonly size?: number;
  /** The longest time for the calculation itself, in milliseconds. */
  readonly limitMs?: number;
  /** Reads the document that the job is about, when its turn comes. Such a job has a process of its own. */
  readonly document?: () => Promise<Buffer>;
}

/**
 * Runs a job in a process of bounded memory, which is killed when the signal aborts; returns the JSON of its result. A
 * job that fails because of its input throws a `ToolFailure`. A large job is given as a function, called when its turn
 * comes; `size` counts until then.
 */
export async function compute(
  job: ComputeJob | (() => Promise<ComputeJob>),
  { payer, signal }: { readonly payer: Payer; readonly signal: AbortSignal },
  { size = 0, limitMs, document }: ComputeOptions = {},
): Promise<string> {
  const given = typeof job === 'function' ? undefined : JSON.stringify(job);
  const begin = async () => {
    const text = given ?? JSON.stringify(typeof job === 'function' ? await job() : job);
    const input = { text, file: await document?.() };
    // Nobody would end an idle process.
    signal.throwIfAborted();
    return limitMs === undefined
      ? inChild(input, signal)
      : within(limitMs, signal, (limited) => inChild(input, limited));
  };
  return slots.hold(payer, async () => begin().catch((error: unknown) => rejectCounted(payer, error)), {
    size: given?.length ?? size,
    signal,
  });
}

function rejectCounted(payer: Payer, error: unknown): never {
  if (error instanceof ProcessDied) slots.charge(payer, CRASH_MS);
  throw error;
}

async function within<T>(limitMs: number, signal: AbortSignal, work: (limited: AbortSignal) => Promise<T>): Promise<T> {
  const tooLong = new ToolFailure('invalid_input', 'The calculation takes too long');
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(tooLong), limitMs);
  return work(AbortSignal.any([signal, limit.signal])).finally(() => clearTimeout(timer));
}

async function inChild(input: JobInput, signal: AbortSignal): Promise<string> {
  const isAlone = input.file !== undefined;
  const child = isAlone ? new ComputeChild(forget, DOCUMENT_PROGRAM) : (takeIdle() ?? new ComputeChild(forget));
  const result = await child.run(input, signal);
  // A failed job may have left work behind.
  if (isAlone || 'issue' in result) child.end();
  else keep(child);
  if ('issue' in result) throw new ToolFailure('invalid_input', result.issue);
  return result.text;
}

function takeIdle(): ComputeChild | undefined {
  const last = idle.pop();
  clearTimeout(last?.leave);
  return last?.child;
}

function keep(child: ComputeChild): void {
  if (child.isExhausted || idle.length >= MAX_IDLE) child.end();
  else idle.push({ child, leave: setTimeout(() => child.end(), IDLE_MS).unref() });
}

// A process that dies while idle is not reused.
function forget(child: ComputeChild): void {
  const place = idle.findIndex((each) => each.child === child);
  if (place !== -1) clearTimeout(idle.splice(place, 1)[0]?.leave);
}
