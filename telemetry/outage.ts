import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

interface OutageOptions {
  /** What is away, in words. */
  readonly name: string;
  /** Returns whether a failure, or the message of a line, means that it is away. */
  readonly isMeant: (error: unknown, message: string) => boolean;
  /** How often it is probed while it is away; each second unless given. */
  readonly probeMs?: number;
}

const PROBE_MS = 1_000;

/**
 * A part that the process needs and that may be away for a while. Logs one line each when an outage begins and ends;
 * warnings of what fails because of it are left out.
 */
export class Outage {
  readonly name: string;
  readonly #options: OutageOptions;
  #probe: (() => Promise<unknown>) | undefined;
  #isAway = false;
  #isClosed = false;

  constructor(options: OutageOptions) {
    this.name = options.name;
    this.#options = options;
  }

  /** Has outages noticed from now on; `probe` throws while it is away. */
  watch(probe: () => Promise<unknown>): void {
    this.#probe = probe;
  }

  /** Returns whether a failure means that it is away. */
  isCauseOf(error: unknown, message = ''): boolean {
    return this.#options.isMeant(error, message);
  }

  /** Takes a warning that is about to be logged; returns whether it is left out. */
  covers(log: Logger, error: unknown, message: string): boolean {
    if (this.#probe === undefined || !this.isCauseOf(error, message)) return false;
    if (!this.#isAway) void this.#last(log, error, this.#probe);
    return true;
  }

  close(): void {
    this.#isClosed = true;
  }

  async #last(log: Logger, error: unknown, probe: () => Promise<unknown>): Promise<void> {
    this.#isAway = true;
    const begunAt = performance.now();
    const about = { outage: this.name };
    log.warn({ ...about, err: error }, `${this.name} is away; warnings because of that are left out`);
    do await sleep(this.#options.probeMs ?? PROBE_MS, undefined, { ref: false });
    while (!this.#isClosed && (await isAway(probe)));
    this.#isAway = false;
    if (this.#isClosed) return;
    const seconds = Math.round((performance.now() - begunAt) / 1000);
    log.warn({ ...about, seconds }, `${this.name} is back after ${seconds} s`);
  }
}

async function isAway(probe: () => Promise<unknown>): Promise<boolean> {
  return probe().then(
    () => false,
    () => true,
  );
}
