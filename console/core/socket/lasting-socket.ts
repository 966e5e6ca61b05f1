import { parseJson } from '../http/api-client.ts';

/** What is used of a `WebSocket`. */
export type Socket = Pick<WebSocket, 'addEventListener' | 'send' | 'close'>;

/** A token, and when it expires, in milliseconds since 1970. */
export interface SocketToken {
  readonly value: string;
  readonly expiresAt: number;
}

/**
 * How a socket stands. `waiting`: the connection was lost, and is tried again. `signed out`: the session has ended, and
 * only `wake` tries again. `gone` is final: what it is about, or the right to see it, has ended.
 */
export type LinkState = 'connecting' | 'open' | 'waiting' | 'signed out' | 'gone';

interface LastingSocketOptions<F> {
  /** Opens a socket with a token; `isSlow` asks for one that needs no WebSocket. */
  open(token: string, isSlow: boolean): Socket;
  /** Returns a token, but not `worn`, which is no longer good. Rejects with `SessionEnded` when there is none. */
  takeToken(worn: string | undefined): Promise<SocketToken>;
  /** Is told when another socket is heard; the frames that follow are its own. */
  onEpoch(): void;
  onFrame(frame: F): void;
  onState(state: LinkState): void;
  /** Is told when it is heard without a WebSocket, and when over one again; left out where there is no other way. */
  onSlow?(isSlow: boolean): void;
}

/** There is no token, and only a sign-in helps. */
export class SessionEnded extends Error {
  override readonly name = 'SessionEnded';
}

/** The code that a browser gives to a connection that broke. */
const NO_ANSWER = 1006;
const UNAUTHENTICATED = 4401;
const GONE = 4404;
const RESTARTING = 1012;
const TRY_LATER = 1013;
/** Codes that prove that the server was reached. */
const SAID_BY_SERVER: ReadonlySet<number> = new Set([UNAUTHENTICATED, GONE, RESTARTING, TRY_LATER]);

const RENEW_BEFORE_MS = 120_000;
/** The longest delay of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const TRY_LATER_MS = 5_000;
const RESTART_MS = 500;
const PING_EVERY_MS = 25_000;
const PONG_WITHIN_MS = 5_000;
/** How long an opening may take. */
const OPEN_WITHIN_MS = 15_000;
const MAX_BACK_OFF_MS = 30_000;
/** After so many sockets in a row that were not let in, the network is taken for one that lets none through. */
const MAX_REFUSED = 3;
/** How often a WebSocket is tried again then. */
const TRY_FAST_MS = 60_000;

/**
 * A socket that opens anew whenever it is lost, and before its token expires. One of its sockets is heard at a time:
 * the one before until the first frame of the next.
 */
export class LastingSocket<F extends { readonly type: string }> {
  readonly #options: LastingSocketOptions<F>;
  #current: Socket | undefined;
  #opening: Socket | undefined;
  #state: LinkState = 'connecting';
  #attempt = 0;
  #isClosed = false;
  // How many WebSockets were not let in before the first that was; undefined from that one on.
  #refused: number | undefined = 0;
  #isSlow = false;
  #isOpeningSlow = false;
  // Counts openings, so that a token that comes late opens nothing.
  #round = 0;
  // The last token that was rejected, until another one has been let in.
  #rejected: string | undefined;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #openTimer: ReturnType<typeof setTimeout> | undefined;
  #renewTimer: ReturnType<typeof setTimeout> | undefined;
  #pingTimer: ReturnType<typeof setInterval> | undefined;
  #pongTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: LastingSocketOptions<F>) {
    this.#options = options;
    void this.#connect();
  }

  get state(): LinkState {
    return this.#state;
  }

  /** Closes the socket for good. */
  close(): void {
    this.#isClosed = true;
    this.#stop();
  }

  /** Tries at once instead of waiting: the network is back, somebody looks, or has signed in again. */
  wake(): void {
    if (this.#isClosed) return;
    if (this.#state === 'waiting' || this.#state === 'signed out') void this.#connect();
    else if (this.#current !== undefined) this.#ping();
  }

  /** Says a frame to the server over the socket that is heard; nothing while there is none. */
  say(frame: Readonly<Record<string, unknown>> & { readonly type: string }): void {
    this.#current?.send(JSON.stringify(frame));
  }

  /** Opens another socket, which tells everything from its beginning: something was missed. */
  restart(): void {
    this.#lose(RESTART_MS);
  }

  // `worn` is a token that is about to expire: another one is asked for.
  async #connect(worn?: string): Promise<void> {
    clearTimeout(this.#retryTimer);
    this.#round += 1;
    const round = this.#round;
    if (this.#current === undefined) this.#enter('connecting');
    try {
      const token = await this.#options.takeToken(this.#rejected ?? worn);
      if (round === this.#round) this.#open(token);
    } catch (error) {
      if (round !== this.#round) return;
      if (error instanceof SessionEnded) this.#end('signed out');
      else this.#retry(this.#backOff(), worn);
    }
  }

  #open(token: SocketToken): void {
    // Beside a slow one, a WebSocket is tried.
    const isRefused = this.#options.onSlow !== undefined && (this.#refused ?? 0) >= MAX_REFUSED;
    const isSlow = isRefused && this.#current === undefined;
    this.#isOpeningSlow = isSlow;
    const socket = this.#options.open(token.value, isSlow);
    this.#opening?.close();
    this.#opening = socket;
    clearTimeout(this.#openTimer);
    this.#openTimer = setTimeout(() => this.#closed(socket, token, NO_ANSWER), OPEN_WITHIN_MS);
    socket.addEventListener('message', ({ data }) => {
      if (socket === this.#opening) this.#take(socket, token, isSlow);
      if (socket === this.#current) this.#receive(data);
    });
    socket.addEventListener('close', ({ code }) => {
      if (socket === this.#opening || socket === this.#current) this.#closed(socket, token, code);
    });
  }

  // A rejected handshake of a browser opens as well, and closes at once: only a frame proves that one was let in.
  #take(socket: Socket, token: SocketToken, isSlow: boolean): void {
    clearTimeout(this.#openTimer);
    this.#current?.close();
    this.#opening = undefined;
    this.#current = socket;
    this.#attempt = 0;
    this.#rejected = undefined;
    if (!isSlow) this.#refused = undefined;
    if (isSlow !== this.#isSlow) this.#options.onSlow?.(isSlow);
    this.#isSlow = isSlow;
    this.#startTimers(token);
    if (isSlow) this.#retry(TRY_FAST_MS);
    this.#enter('open');
    this.#options.onEpoch();
  }

  #receive(data: unknown): void {
    if (this.#pongTimer !== undefined) clearTimeout(this.#pongTimer);
    this.#pongTimer = undefined;
    const frame = parseJson(String(data)) as F;
    if (frame.type !== 'pong') this.#options.onFrame(frame);
  }

  #closed(socket: Socket, token: SocketToken, code: number): void {
    if (code === GONE) return this.#end('gone');
    if (socket === this.#opening && !SAID_BY_SERVER.has(code)) this.#countRefused();
    if (code !== UNAUTHENTICATED) return this.#fail(socket, this.#delayOf(code));
    // A second token that is rejected as well, in a row, is no matter of its age.
    if (this.#rejected !== undefined && this.#rejected !== token.value) return this.#end('signed out');
    this.#rejected = token.value;
    this.#fail(socket, 0);
  }

  // Where nothing else comes through either, the server is away, and not the WebSockets.
  #countRefused(): void {
    if (this.#refused !== undefined) this.#refused = this.#isOpeningSlow ? 0 : this.#refused + 1;
  }

  // A socket that could not be opened takes nothing from the one that is heard.
  #fail(socket: Socket, delayMs: number): void {
    if (socket !== this.#opening || this.#current === undefined) return this.#lose(delayMs);
    clearTimeout(this.#openTimer);
    socket.close();
    this.#opening = undefined;
    this.#retry(this.#isSlow ? TRY_FAST_MS : delayMs);
  }

  #delayOf(code: number): number {
    if (code === RESTARTING) return Math.random() * 1_000;
    return code === TRY_LATER ? TRY_LATER_MS : this.#backOff();
  }

  #lose(delayMs: number): void {
    clearTimeout(this.#openTimer);
    this.#drop();
    this.#retry(delayMs);
  }

  #stop(): void {
    this.#round += 1;
    clearTimeout(this.#retryTimer);
    clearTimeout(this.#openTimer);
    this.#drop();
  }

  #drop(): void {
    this.#opening?.close();
    this.#current?.close();
    this.#opening = undefined;
    this.#current = undefined;
    this.#stopTimers();
  }

  #retry(delayMs: number, worn?: string): void {
    if (this.#isClosed) return;
    if (this.#current === undefined) this.#enter('waiting');
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => void this.#connect(worn), delayMs);
  }

  #backOff(): number {
    const delay = Math.min(1_000 * 2 ** this.#attempt + Math.random() * 1_000, MAX_BACK_OFF_MS);
    this.#attempt += 1;
    return delay;
  }

  #end(state: 'signed out' | 'gone'): void {
    this.#stop();
    this.#enter(state);
  }

  #enter(state: LinkState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#options.onState(state);
  }

  #startTimers({ value, expiresAt }: SocketToken): void {
    this.#stopTimers();
    const renewInMs = Math.max(1_000, expiresAt - RENEW_BEFORE_MS - Date.now());
    this.#renewTimer = setTimeout(() => void this.#connect(value), Math.min(renewInMs, MAX_TIMER_MS));
    this.#pingTimer = setInterval(() => this.#ping(), PING_EVERY_MS);
  }

  #stopTimers(): void {
    clearTimeout(this.#renewTimer);
    clearInterval(this.#pingTimer);
    clearTimeout(this.#pongTimer);
    this.#pongTimer = undefined;
  }

  // A connection whose network has gone away says nothing of it.
  #ping(): void {
    if (this.#pongTimer !== undefined) return;
    this.#pongTimer = setTimeout(() => this.#lose(0), PONG_WITHIN_MS);
    this.say({ type: 'ping' });
  }
}
