import { findInterrupted } from '../../../db/turns/request-interrupt.ts';
import type { Database } from '../../../db/core/database.ts';

/** A person asked the turn to stop. */
class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** The time limit of a sub-agent is over. */
export class OutOfTime extends Error {
  override readonly name = 'OutOfTime';
}

/** Work that is tracked: a turn, or a call of one. */
export interface TrackedTurn {
  readonly id: string;
  /** The turns above it, which stop it too. */
  readonly ancestorIds: readonly string[];
  /** Time left, in milliseconds; null for no limit. */
  readonly remainingMs: number | null;
}

/** How long a lost notification can go unnoticed, in milliseconds. */
const POLL_MS = 500;
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * The turns that run in this process, so that an interrupt can stop each at once. A notification is the fast way; the
 * row is asked twice a second for all of them together, so that a lost notification costs half a second.
 */
export class RunningTurns {
  readonly #database: Database;
  readonly #onFailure: (error: unknown) => void;
  // By the id of a turn: what stops when that one does.
  readonly #stops = new Map<string, Set<AbortController>>();
  readonly #timer: NodeJS.Timeout;
  #isPolling = false;

  constructor(database: Database, onFailure: (error: unknown) => void) {
    this.#database = database;
    this.#onFailure = onFailure;
    this.#timer = setInterval(() => void this.poll(), POLL_MS);
  }

  /**
   * Runs `work` with a signal that aborts when the turn, or one above it, is to stop (`Interrupted`), or when its time
   * is up (`OutOfTime`).
   */
  async track<T>({ id, ancestorIds, remainingMs }: TrackedTurn, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    const ids = [id, ...ancestorIds];
    for (const each of ids) this.#add(each, controller);
    const timer =
      remainingMs === null
        ? undefined
        : setTimeout(() => controller.abort(new OutOfTime()), Math.min(Math.max(remainingMs, 0), MAX_TIMER_MS));
    try {
      return await work(controller.signal);
    } finally {
      clearTimeout(timer);
      for (const each of ids) this.#remove(each, controller);
    }
  }

  /** Stops the work of a turn, and of those below it, which was asked to stop. */
  interrupt(turnId: string): void {
    for (const controller of this.#stops.get(turnId) ?? []) controller.abort(new Interrupted());
  }

  /** Asks the rows which turns are to stop: notifications may have been lost. */
  async poll(): Promise<void> {
    if (this.#stops.size === 0 || this.#isPolling) return;
    this.#isPolling = true;
    try {
      for (const turnId of await findInterrupted(this.#database, [...this.#stops.keys()])) this.interrupt(turnId);
    } catch (error) {
      this.#onFailure(error);
    } finally {
      this.#isPolling = false;
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #add(id: string, controller: AbortController): void {
    const stops = this.#stops.get(id) ?? new Set();
    this.#stops.set(id, stops.add(controller));
  }

  #remove(id: string, controller: AbortController): void {
    const stops = this.#stops.get(id);
    stops?.delete(controller);
    if (stops?.size === 0) this.#stops.delete(id);
  }
}
