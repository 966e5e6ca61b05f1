import { StartFailure } from '../core/start-failure.ts';
import { endOfLog, type PartLog } from './part-log.ts';
import type { RunningPart } from './spawn-part.ts';
import { type Supervised, supervise } from './supervise.ts';

// Who uses another stops before it.
const STOP_ORDER = ['api', 'worker', 'temporal', 'postgres'] as const;
// A database that is killed in its shutdown takes the longer to start.
const HURRIED = ['api', 'worker', 'temporal'] as const;

type PartKey = (typeof STOP_ORDER)[number];

/** A part that is to be kept running. */
export type ListedPart<Part extends RunningPart> = {
  readonly key: PartKey;
  /** Its name in messages. */
  readonly name: string;
  readonly log: PartLog;
  /** Starts it; resolves when it is up. Called again each time it has died. */
  readonly start: (signal: AbortSignal) => Promise<Part>;
};

/** The parts of the service that run under supervision, and are stopped in order. */
export class PartList {
  readonly #parts = new Map<PartKey, Supervised<RunningPart>>();
  readonly #say: (line: string) => void;
  readonly #stopping: AbortSignal;

  constructor(options: { say: (line: string) => void; stopping: AbortSignal }) {
    this.#say = options.say;
    this.#stopping = options.stopping;
  }

  /**
   * Starts a part and keeps it running. Resolves when it is up; rejects with the end of its log when it never comes up.
   */
  async keep<Part extends RunningPart>({ key, name, log, start }: ListedPart<Part>): Promise<Part> {
    // Once stopping has begun, what is not yet in the list would not be stopped.
    if (this.#stopping.aborted) throw new Error('Called off.');
    const part = supervise({ name, start, say: (line) => this.#report(line, log) });
    this.#parts.set(key, part);
    try {
      return await part.up;
    } catch (error) {
      if (error instanceof StartFailure || this.#stopping.aborted) throw error;
      const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
      throw new StartFailure(`${name} does not start: ${reason}. The end of its log, ${endOfLog(log)}`);
    }
  }

  /** Stops all parts, one after another. */
  async stop(): Promise<void> {
    for (const key of STOP_ORDER) await this.#parts.get(key)?.stop();
  }

  /** Kills what is being stopped, except for the database. */
  kill(): void {
    for (const key of HURRIED) this.#parts.get(key)?.kill();
  }

  #report(line: string, log: PartLog): void {
    log.write(`${line}\n`);
    this.#say(line.includes('starting it again') ? `${line} Its log: ${log.path}` : line);
  }
}
