import { closeSync, fstatSync, openSync, readSync, renameSync, writeSync } from 'node:fs';
import { StartFailure } from '../core/start-failure.ts';
import type { RunningPart } from './spawn-part.ts';
import { supervise, type Supervised } from './supervise.ts';

// Who uses another stops before it.
const STOP_ORDER = ['api', 'worker', 'temporal', 'postgres'] as const;
// A database that is killed in its shutdown takes the longer to start.
const HURRIED = ['api', 'worker', 'temporal'] as const;

type PartKey = (typeof STOP_ORDER)[number];

/** A part that is to be kept running. */
type ListedPart<Part extends RunningPart> = {
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

/** A part's log file. It never grows beyond a bound, and a full disk costs lines, not the part. */
export type PartLog = {
  readonly path: string;
  write(text: string): void;
  /** Returns the last lines of the file. */
  tail(lines: number): string;
};

const maxLogBytes = 10 * 1024 * 1024;

/** Opens a log for appending. When it reaches the bound it is renamed to `<path>.1`, which replaces the one before. */
export function openPartLog(path: string): PartLog {
  let descriptor = openSync(path, 'a+', 0o600);
  let size = fstatSync(descriptor).size;
  const rotate = (): void => {
    closeSync(descriptor);
    renameSync(path, `${path}.1`);
    descriptor = openSync(path, 'a+', 0o600);
    size = 0;
  };
  return {
    path,
    write: (text) => {
      try {
        if (size >= maxLogBytes) rotate();
        size += writeSync(descriptor, text);
      } catch {
        // The disk is full or the folder is gone. The part itself must not suffer from its log.
      }
    },
    tail: (lines) => {
      const buffer = Buffer.alloc(Math.min(size, 16_384));
      try {
        readSync(descriptor, buffer, 0, buffer.length, Math.max(0, size - buffer.length));
      } catch {
        return '';
      }
      return buffer.toString('utf8').trimEnd().split('\n').slice(-lines).join('\n');
    },
  };
}

/** Returns the path and the last lines of a log, to close a message with. */
export function endOfLog(log: PartLog): string {
  return `${log.path}:\n${log.tail(15).replace(/^/gm, '  ')}`;
}
