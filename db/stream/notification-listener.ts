import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { retryAtStart } from '../../domain/core/promises.ts';

interface ListenerOptions {
  readonly url: string;
  readonly channels: readonly string[];
  onNotification(channel: string, payload: string): void;
  /** Called when the connection is lost: nothing is heard until `onReconnect`. */
  onDisconnect?(): void;
  /** Called after each connection but the first: notifications may have been missed. */
  onReconnect(): void;
}

const RETRY_MS = 250;

/** The process's only listening connection. It reconnects by itself. */
export class NotificationListener {
  readonly #options: ListenerOptions;
  readonly #closing = new AbortController();
  #client: pg.Client | undefined;

  private constructor(options: ListenerOptions) {
    this.#options = options;
  }

  /** Connects; throws when the database does not respond to three attempts. */
  static async start(options: ListenerOptions): Promise<NotificationListener> {
    const listener = new NotificationListener(options);
    await retryAtStart(async () => listener.#connect());
    return listener;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#client?.end().catch(() => undefined);
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#options.url,
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
    });
    let isLost = false;
    client.on('error', () => undefined);
    client.on('notification', ({ channel, payload }) => this.#options.onNotification(channel, payload ?? ''));
    client.on('end', () => {
      if (isLost || this.#client !== client || this.#closing.signal.aborted) return;
      isLost = true;
      this.#options.onDisconnect?.();
      void this.#reconnect();
    });
    try {
      await client.connect();
      for (const channel of this.#options.channels) await client.query(`listen ${pg.escapeIdentifier(channel)}`);
      // Nobody would end it after `close`.
      this.#closing.signal.throwIfAborted();
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    this.#client = client;
  }

  async #reconnect(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      try {
        await this.#connect();
        this.#options.onReconnect();
        return;
      } catch {
        // Expected while the database is down; requests report that, and this keeps trying.
        await sleep(RETRY_MS, undefined, { signal: this.#closing.signal }).catch(() => undefined);
      }
    }
  }
}
