import { CONTROL_CHANNEL, findInterrupted } from '../../db/turns/index.ts';
import type { Database } from '../../db/core/index.ts';
import { NotificationListener } from '../../db/stream/index.ts';

/** A person asked the turn to stop. */
class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** How long a lost notification can go unnoticed, in milliseconds. */
const POLL_MS = 500;

/**
 * The turns that run in this process, so that an interrupt can stop each at once. A notification is the fast way; the
 * row is asked twice a second for all of them together, so that a lost notification costs half a second.
 */
export class RunningTurns {
  readonly #database: Database;
  readonly #onFailure: (error: unknown) => void;
  readonly #turns = new Map<string, AbortController>();
  #listener: NotificationListener | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isPolling = false;

  private constructor(database: Database, onFailure: (error: unknown) => void) {
    this.#database = database;
    this.#onFailure = onFailure;
  }

  /** Begins to listen; throws when the database does not answer. */
  static async start(database: Database, onFailure: (error: unknown) => void): Promise<RunningTurns> {
    const running = new RunningTurns(database, onFailure);
    running.#listener = await NotificationListener.start({
      url: database.url,
      channels: [CONTROL_CHANNEL],
      onNotification: (_channel, turnId) => running.#interrupt(turnId),
      onReconnect: () => void running.#poll(),
    });
    running.#timer = setInterval(() => void running.#poll(), POLL_MS);
    return running;
  }

  /** Runs `work` with a signal that aborts, with `Interrupted`, when the turn is to stop. */
  async track<T>(turnId: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#turns.set(turnId, controller);
    try {
      return await work(controller.signal);
    } finally {
      // A later attempt at the same turn may have taken the place.
      if (this.#turns.get(turnId) === controller) this.#turns.delete(turnId);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#listener?.close();
  }

  #interrupt(turnId: string): void {
    this.#turns.get(turnId)?.abort(new Interrupted());
  }

  async #poll(): Promise<void> {
    if (this.#turns.size === 0 || this.#isPolling) return;
    this.#isPolling = true;
    try {
      for (const turnId of await findInterrupted(this.#database, [...this.#turns.keys()])) this.#interrupt(turnId);
    } catch (error) {
      this.#onFailure(error);
    } finally {
      this.#isPolling = false;
    }
  }
}
