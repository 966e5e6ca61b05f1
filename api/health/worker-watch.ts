import type { Database } from '../../db/core/database.ts';
import { oldestWaitSeconds } from '../../db/turns/due-turns.ts';
import { countWorkers } from '../../db/workers.ts';

interface WorkerWatchOptions {
  readonly database: Database;
  readonly log: Record<'warn' | 'info', (fields: object, message: string) => void>;
  /** The time before the first check and between two; `FIRST_AFTER_MS` and `EVERY_MS` unless given. */
  readonly everyMs?: number | undefined;
}

/** Workers may start a little later than the api. */
const FIRST_AFTER_MS = 60_000;
const EVERY_MS = 15_000;

/** Checks now and then whether a worker runs, and logs when there is none any more, and when there is one again. */
export class WorkerWatch {
  readonly #options: WorkerWatchOptions;
  #areAway = false;
  #isClosed = false;
  #timer: NodeJS.Timeout;

  constructor(options: WorkerWatchOptions) {
    this.#options = options;
    this.#timer = this.#checkAfter(options.everyMs ?? FIRST_AFTER_MS);
  }

  /** Whether no worker was running when that was last checked. */
  get areAway(): boolean {
    return this.#areAway;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #checkAfter(ms: number): NodeJS.Timeout {
    return setTimeout(() => void this.#check(), ms).unref();
  }

  async #check(): Promise<void> {
    const { database, everyMs = EVERY_MS } = this.#options;
    try {
      const areAway = (await countWorkers(database)) === 0;
      if (areAway !== this.#areAway) await this.#note(areAway);
    } catch (error) {
      // Of an outage the log makes one line, also while nobody sends requests.
      this.#options.log.warn({ err: error }, 'the workers could not be counted');
    }
    if (!this.#isClosed) this.#timer = this.#checkAfter(everyMs);
  }

  async #note(areAway: boolean): Promise<void> {
    const { database, log } = this.#options;
    const waitSeconds = Math.round(await oldestWaitSeconds(database));
    this.#areAway = areAway;
    if (areAway) log.warn({ waitSeconds }, 'no worker is running: messages are accepted, and wait until one is');
    else log.info({ waitSeconds }, 'a worker is running again: turns that have waited continue');
  }
}
