import type { Logger } from 'pino';
import { AppError } from '../../domain/core/app-error.ts';

/** A connection that lasts, and so can outlive the right to it. */
export interface LastingConnection {
  readonly userId: string;
  /** When the right to it ends by itself, in milliseconds of the epoch. */
  readonly expiresAt: number | undefined;
  /** Throws an `AppError` when a connection like this one would not be let in now. */
  check(): Promise<void>;
  end(reason: AppError): void;
}

/** Between two looks at everybody, in milliseconds, should an announcement be lost. */
const RECHECK_MS = 60_000;
/** Timers may be early by a millisecond. */
const AFTER_EXPIRY_MS = 10;
/** Longest delay that a timer takes. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** The lasting connections of this process: each is ended when its user's rights or credentials end. */
export class ConnectionRegistry {
  readonly #log: Logger;
  readonly #connections = new Set<LastingConnection>();
  readonly #timer: NodeJS.Timeout;

  constructor(log: Logger) {
    this.#log = log;
    this.#timer = setInterval(() => void this.recheck(), RECHECK_MS);
  }

  /** Watches a connection until the answered function is called. */
  register(connection: LastingConnection): () => void {
    const { expiresAt } = connection;
    this.#connections.add(connection);
    const expiry =
      expiresAt === undefined
        ? undefined
        : setTimeout(
            () => void this.#recheckOne(connection),
            Math.min(expiresAt - Date.now() + AFTER_EXPIRY_MS, MAX_DELAY_MS),
          ).unref();
    return () => {
      clearTimeout(expiry);
      this.#connections.delete(connection);
    };
  }

  /** Checks the connections of a user, or of everybody, anew and ends those that may not stay. */
  async recheck(userId?: string): Promise<void> {
    for (const connection of this.#connections) {
      if (userId === undefined || connection.userId === userId) await this.#recheckOne(connection);
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #recheckOne(connection: LastingConnection): Promise<void> {
    try {
      await connection.check();
    } catch (error) {
      if (error instanceof AppError) connection.end(error);
      // While the database is away nothing is known to have changed; the next check is not far.
      else this.#log.warn({ err: error }, 'a lasting connection could not be checked');
    }
  }
}
