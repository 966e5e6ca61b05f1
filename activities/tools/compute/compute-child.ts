import { setPriority } from 'node:os';
import { ToolFailure } from '../tool-failure.ts';
import { type ComputeAnswer, FAULT, MAX_TEXT } from './job.ts';
import { type CalculatingProcess, startChild } from './start-child.ts';

/** Jobs after which a process is replaced, whatever they may have left in its libraries. */
const MAX_JOBS = 500;
/** Far below the processor time that the system allows a process, so that no job is cut short by those before it. */
const MAX_WORKED_MS = 20_000;
/** A job that goes on for longer gives way to everything else on the machine; the first one starts the process too. */
const LONG_MS = 1_000;
const START_MS = 1_500;
const LOW_PRIORITY = 5;
/** The longest UTF-8 of the longest answer. */
const MAX_BYTES = 3 * MAX_TEXT + 16;
const NEWLINE = 10;

/** A process that calculates, one job at a time. */
export class ComputeChild {
  readonly #process: CalculatingProcess;
  readonly #onEnd: () => void;
  #jobs = 0;
  #workedMs = 0;
  #isSpent = false;

  /** `onEnd` is called when it has ended, for whatever cause. */
  constructor(onEnd: (child: ComputeChild) => void) {
    this.#onEnd = () => onEnd(this);
    this.#process = startChild();
    this.#process.once('exit', this.#onEnd).on('error', this.#onEnd);
    // A pipe to a process that has ended: its end is told by the process.
    this.#process.stdin.on('error', () => undefined);
    this.#process.stdout.on('error', () => undefined);
  }

  /** Whether it should get no further job. */
  get isSpent(): boolean {
    return this.#isSpent || this.#jobs >= MAX_JOBS || this.#workedMs >= MAX_WORKED_MS;
  }

  /** Runs a job, given as JSON; the process is killed when the signal aborts, and whenever there is no answer. */
  async run(job: string, signal: AbortSignal): Promise<ComputeAnswer> {
    signal.throwIfAborted();
    this.#jobs += 1;
    this.#hold(true);
    const { promise, resolve, reject } = Promise.withResolvers<ComputeAnswer>();
    const reader = new AnswerReader(resolve, reject);
    const onExit = (code: number | null, by: NodeJS.Signals | null) => reject(failureOf(code, by));
    const onAbort = () => reject(signal.reason as Error);
    const onData = (chunk: Buffer) => reader.take(chunk);
    const { stdin, stdout } = this.#process;
    this.#process.once('exit', onExit).once('error', reject);
    stdout.on('data', onData);
    signal.addEventListener('abort', onAbort, { once: true });
    const giveWay = setTimeout(() => this.#giveWay(), this.#jobs === 1 ? START_MS + LONG_MS : LONG_MS);
    const start = performance.now();
    stdin.write(`${job}\n`);
    try {
      return await promise;
    } catch (error) {
      this.end();
      throw error;
    } finally {
      clearTimeout(giveWay);
      this.#workedMs += performance.now() - start;
      signal.removeEventListener('abort', onAbort);
      stdout.off('data', onData);
      this.#process.off('exit', onExit).off('error', reject);
      this.#hold(false);
    }
  }

  /** Ends it, in the middle of a job if need be. */
  end(): void {
    this.#isSpent = true;
    this.#process.kill('SIGKILL');
  }

  // The priority cannot be raised again, so it is the last job of this process.
  #giveWay(): void {
    this.#isSpent = true;
    const { pid } = this.#process;
    if (pid === undefined) return;
    try {
      setPriority(pid, LOW_PRIORITY);
    } catch {
      // It has just ended.
    }
  }

  // One without a job must not keep the service alive.
  #hold(isWorking: boolean): void {
    const parts = [this.#process, this.#process.stdin, this.#process.stdout] as readonly Partial<NodeJS.RefCounted>[];
    for (const part of parts) (isWorking ? part.ref : part.unref)?.call(part);
  }
}

// V8 aborts when its heap is full, and the system kills what takes more than there is.
function failureOf(code: number | null, by: NodeJS.Signals | null): ToolFailure {
  if (by !== null) return new ToolFailure('invalid_input', 'The calculation needs too much memory');
  return new ToolFailure('upstream', `The calculation was aborted (${code})`);
}

/** Puts an answer together, and gives up one that is longer than any answer may be. */
class AnswerReader {
  readonly #resolve: (answer: ComputeAnswer) => void;
  readonly #reject: (error: Error) => void;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(resolve: (answer: ComputeAnswer) => void, reject: (error: Error) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_BYTES) return this.#reject(new ToolFailure('invalid_input', 'The result is too large'));
    if (chunk.at(-1) !== NEWLINE) return;
    const line = Buffer.concat(this.#chunks).toString().slice(0, -1);
    this.#resolve(line.startsWith(FAULT) ? { fault: line.slice(1) } : { text: line.slice(1) });
  }
}
