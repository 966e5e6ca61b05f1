import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Random } from '../../test/support/random.ts';
import { backOffMs } from './gate.ts';
import type { InFlight } from './in-flight.ts';
import type { ChaosChat } from '../installation/installation.ts';
import { ViewJournal } from './view-journal.ts';

const HANDSHAKE_LIMIT_MS = 8_000;
/** The pause between the answer to a ping and the next one. */
const PING_MS = 1_000;

/** A client of one chat's socket that connects again whenever it is cut off, and keeps a journal of each connection. */
export class SocketViewer {
  readonly journals: ViewJournal[] = [];
  readonly chat: ChaosChat;
  readonly #random: Random;
  readonly #inFlight: InFlight;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;
  #socket: WebSocket | undefined;
  #waiting = new Set<() => void>();

  constructor(chat: ChaosChat, random: Random, inFlight: InFlight) {
    this.chat = chat;
    this.#random = random;
    this.#inFlight = inFlight;
    this.#ended = this.#keepConnected();
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** The journal of the connection that is there now. */
  get journal(): ViewJournal | undefined {
    return this.isOpen ? this.journals.at(-1) : undefined;
  }

  /** Sends a frame; returns false when there is no connection. */
  send(frame: object): boolean {
    if (!this.isOpen) return false;
    this.#socket?.send(JSON.stringify(frame));
    return true;
  }

  /** Loses the connection as on a train. */
  drop(): void {
    this.#socket?.terminate();
  }

  /** Waits for the end of a turn, an error, or another connection, up to a limit in milliseconds. */
  async change(limitMs: number): Promise<void> {
    const { promise: changed, resolve } = Promise.withResolvers<void>();
    const limit = setTimeout(resolve, limitMs);
    this.#waiting.add(resolve);
    await changed;
    clearTimeout(limit);
    this.#waiting.delete(resolve);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#socket?.terminate();
    await this.#ended;
  }

  async #keepConnected(): Promise<void> {
    const { signal } = this.#stopping;
    for (let failures = 0; !signal.aborted;) {
      failures = (await this.#connectOnce()) ? 0 : failures + 1;
      await sleep(backOffMs(this.#random, failures), undefined, { signal }).catch(() => undefined);
    }
  }

  // Resolves when the connection is over; false when there was none.
  async #connectOnce(): Promise<boolean> {
    const { apiUrl, id, token } = this.chat;
    const url = `${apiUrl.replace('http', 'ws')}/ws/chat/${id}?token=${encodeURIComponent(token)}`;
    const socket = new WebSocket(url, { handshakeTimeout: HANDSHAKE_LIMIT_MS });
    this.#socket = socket;
    return new Promise((resolve) => {
      let journal: ViewJournal | undefined;
      socket.on('open', () => {
        journal = new ViewJournal();
        this.journals.push(journal);
        this.#notify();
        ping(socket);
      });
      socket.on('message', (data: Buffer) => {
        if (journal !== undefined) this.#take(socket, journal, data);
      });
      socket.on('error', () => undefined);
      socket.on('close', () => {
        if (journal !== undefined) journal.closedAt = Date.now();
        if (!this.#stopping.signal.aborted) this.#inFlight.failures += 1;
        this.#notify();
        resolve(journal !== undefined);
      });
    });
  }

  #take(socket: WebSocket, journal: ViewJournal, data: Buffer): void {
    const frame = JSON.parse(data.toString()) as Parameters<ViewJournal['take']>[0];
    if (frame.type === 'pong') {
      journal.pongs.push(Date.now());
      setTimeout(() => ping(socket), PING_MS).unref();
      return;
    }
    this.#inFlight.signOfLife();
    const before = journal.refusals;
    const isEnd = journal.take(frame);
    if (isEnd || journal.refusals > before) this.#notify();
  }

  #notify(): void {
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const resolve of waiting) resolve();
  }
}

function ping(socket: WebSocket): void {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type: 'ping' }));
}
