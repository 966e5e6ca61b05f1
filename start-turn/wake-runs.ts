import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { MovedRun } from '../db/core/index.ts';
import { wakeRun } from '../workflows/agent-workflows/client.ts';

/** Calls to Temporal that are made at once, and runs that wait for theirs. */
const MAX_CALLS = 20;
const MAX_WAITING = 10_000;

interface WakeRunsDeps {
  readonly temporal: Client;
  readonly log: Logger;
}

/**
 * Tells the Temporal workflows of runs that their rows have changed, in the background: a few at a time, and each once,
 * however often it was named meanwhile. What it cannot tell, because Temporal is down or the process dies, a worker
 * finds in the rows.
 */
export class RunWaker {
  readonly #deps: WakeRunsDeps;
  readonly #waiting = new Map<string, MovedRun>();
  readonly #callers = new Set<Promise<void>>();
  #isStopping = false;

  constructor(deps: WakeRunsDeps) {
    this.#deps = deps;
  }

  wake(runs: readonly MovedRun[]): void {
    for (const run of runs) if (this.#waiting.size < MAX_WAITING) this.#waiting.set(run.runId, run);
    for (let more = Math.min(MAX_CALLS - this.#callers.size, this.#waiting.size); more > 0; more -= 1) {
      const caller = this.#tellOneByOne().finally(() => this.#callers.delete(caller));
      this.#callers.add(caller);
    }
  }

  /** Waits until all are told, or until Temporal does not respond. */
  async drain(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#callers);
  }

  async #tellOneByOne(): Promise<void> {
    for (const [runId, run] of this.#waiting) {
      this.#waiting.delete(runId);
      try {
        await wakeRun(this.#deps.temporal, run);
      } catch (error) {
        this.#deps.log.warn({ err: error, runId }, 'the workflow of a run could not be woken; it goes on later');
        if (this.#isStopping) this.#waiting.clear();
      }
    }
  }
}
