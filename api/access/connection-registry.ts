import type { Logger } from 'pino';
import { AppError } from '../../domain/core/app-error.ts';

/** A long-lived connection, which can outlive the right to it. */
export interface LastingConnection {
  readonly userId: string;
  /** The organization that it is in, and the chat that it shows. */
  readonly recordIds: readonly string[];
  /** The time at which the right to it expires by itself, in milliseconds of the epoch. */
  readonly expiresAt: number | undefined;
  /** Throws an `AppError` when such a connection would be rejected now. */
  check(): Promise<void>;
  end(reason: AppError): void;
}

/** The interval between checks of all connections, in case an announcement was lost. */
const RECHECK_MS = 60_000;
/** Timers may fire a millisecond early. */
const AFTER_EXPIRY_MS = 10;
/** The longest delay that a timer accepts. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Tracks the long-lived connections of this process, and ends each when its user's rights or credentials end. */
export class ConnectionRegistry {
  readonly #log: Logger;
  readonly #connections = new Set<LastingConnection>();
  readonly #timer: NodeJS.Timeout;
  #isPolling = false;
  #isClosed = false;

  constructor(log: Logger) {
    this.#log = log;
    this.#timer = setInterval(() => void this.#poll(), RECHECK_MS);
  }

  /** Adds a connection; call the returned function to remove it. */
  register(connection: LastingConnection): () => void {
    const { expiresAt } = connection;
    this.#connections.add(connection);
    const expiry =
      expiresAt === undefined
        ? undefined
        : setTimeout(
            () => void this.recheckOne(connection),
            Math.min(expiresAt - Date.now() + AFTER_EXPIRY_MS, MAX_DELAY_MS),
          ).unref();
    return () => {
      clearTimeout(expiry);
      this.#connections.delete(connection);
    };
  }

  /**
   * Checks the connections of a user, to a chat or in an organization, or all of them, and ends those whose right is
   * gone.
   */
  async recheck(id?: string): Promise<void> {
    // A copy: connections that open in the meantime have just been checked, and could make this endless.
    const meant = [...this.#connections].filter(
      ({ userId, recordIds }) => id === undefined || userId === id || recordIds.includes(id),
    );
    for (const connection of meant) {
      if (this.#connections.has(connection)) await this.recheckOne(connection);
    }
  }

  /** Whether the process is ending, and its connections with it: their readers come back. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
  }

  // A slow database must not let rounds pile up. Announced changes are checked at once in any case.
  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      await this.recheck();
    } finally {
      this.#isPolling = false;
    }
  }

  /** Checks one connection, and ends it when the right to it is gone. */
  async recheckOne(connection: LastingConnection): Promise<void> {
    try {
      await connection.check();
    } catch (error) {
      if (error instanceof AppError) connection.end(error);
      // While the database is away nothing is known to have changed; the next check is not far.
      else this.#log.warn({ err: error }, 'a long-lived connection could not be checked');
    }
  }
}
