import { CRASH_MS, KeyedSemaphore, type Payer } from '../../../domain/core/keyed-semaphore.ts';
import { ProcessDied, ToolFailure } from '../tool-failure.ts';
import { type ComputeJob, type ComputeResult, ISSUE, MAX_TEXT } from './job.ts';
import { type CalculatingProcess, DOCUMENT_PROGRAM, startChild } from './start-child.ts';

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
  /** The size of a job that is passed as a function, in characters. */
  readonly size?: number;
  /** The longest time for the calculation itself, in milliseconds. */
  readonly limitMs?: number;
  /** Reads the document that the job is about, when its turn comes. Such a job has a process of its own. */
  readonly document?: () => Promise<Buffer>;
}

/**
 * Runs a job in a process of bounded memory, which is killed when the signal aborts; returns the JSON of its result. A
 * job that fails because of its input throws a `ToolFailure`. A large job is passed as a function, called when its turn
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
  return slots.run(payer, async () => begin().catch((error: unknown) => rejectCounted(payer, error)), {
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
  const index = idle.findIndex((each) => each.child === child);
  if (index !== -1) clearTimeout(idle.splice(index, 1)[0]?.leave);
}

/** The number of jobs after which a process is replaced, because libraries may accumulate state. */
const MAX_JOBS = 500;
/** Far below the processor time that the system allows a process, so that no job is cut short by those before it. */
const MAX_WORKED_MS = 20_000;
/** The longest UTF-8 form of the longest result. */
const MAX_BYTES = 3 * MAX_TEXT + 16;
const NEWLINE = 10;

/** A job as JSON, and the file that it is about. */
interface JobInput {
  readonly text: string;
  readonly file: Buffer | undefined;
}

/** A process that calculates, one job at a time. */
export class ComputeChild {
  readonly #process: CalculatingProcess;
  readonly #onEnd: () => void;
  #jobs = 0;
  #workedMs = 0;
  #isSpent = false;

  /** `onEnd` is called when it has ended, for any reason; `program` is what it runs, if that is not the calculator. */
  constructor(onEnd: (child: ComputeChild) => void, program?: string) {
    this.#onEnd = () => onEnd(this);
    this.#process = startChild(program);
    this.#process.once('exit', this.#onEnd).on('error', this.#onEnd);
    // A broken pipe of an ended process: the process reports its end itself.
    this.#process.stdin.on('error', () => undefined);
    this.#process.stdout.on('error', () => undefined);
  }

  /** Whether it should get no further job. */
  get isExhausted(): boolean {
    return this.#isSpent || this.#jobs >= MAX_JOBS || this.#workedMs >= MAX_WORKED_MS;
  }

  /** Runs a job; kills the process when the signal aborts, and whenever no result comes. */
  async run({ text, file }: JobInput, signal: AbortSignal): Promise<ComputeResult> {
    signal.throwIfAborted();
    this.#jobs += 1;
    this.#keepAlive(true);
    const { promise, resolve, reject } = Promise.withResolvers<ComputeResult>();
    const reader = new ResultReader(resolve, reject);
    const onExit = (code: number | null, by: NodeJS.Signals | null) => reject(failureOf(code, by));
    const onAbort = () => reject(signal.reason as Error);
    const onData = (chunk: Buffer) => reader.take(chunk);
    const { stdin, stdout } = this.#process;
    this.#process.once('exit', onExit).once('error', reject);
    stdout.on('data', onData);
    signal.addEventListener('abort', onAbort, { once: true });
    const start = performance.now();
    stdin.write(`${file?.length ?? 0} ${text}\n`);
    if (file !== undefined) stdin.write(file);
    try {
      return await promise;
    } catch (error) {
      this.end();
      throw error;
    } finally {
      this.#workedMs += performance.now() - start;
      signal.removeEventListener('abort', onAbort);
      stdout.off('data', onData);
      this.#process.off('exit', onExit).off('error', reject);
      this.#keepAlive(false);
    }
  }

  /** Ends it, even in the middle of a job. */
  end(): void {
    this.#isSpent = true;
    this.#process.kill('SIGKILL');
  }

  // An idle process must not keep the service alive.
  #keepAlive(isWorking: boolean): void {
    const parts = [this.#process, this.#process.stdin, this.#process.stdout] as readonly Partial<NodeJS.RefCounted>[];
    for (const part of parts) (isWorking ? part.ref : part.unref)?.call(part);
  }
}

// V8 aborts when its heap is full, and the system kills a process that takes too much memory.
function failureOf(code: number | null, by: NodeJS.Signals | null): ProcessDied {
  if (by !== null) return new ProcessDied('invalid_input', 'The calculation needs too much memory');
  return new ProcessDied('upstream', `The calculation was aborted (${code})`);
}

/** Assembles a result, and fails when it is too long. */
class ResultReader {
  readonly #resolve: (answer: ComputeResult) => void;
  readonly #reject: (error: Error) => void;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(resolve: (answer: ComputeResult) => void, reject: (error: Error) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_BYTES) return this.#reject(new ToolFailure('invalid_input', 'The result is too large'));
    if (chunk.at(-1) !== NEWLINE) return;
    const line = Buffer.concat(this.#chunks).toString().slice(0, -1);
    this.#resolve(line.startsWith(ISSUE) ? { issue: line.slice(1) } : { text: line.slice(1) });
  }
}
