/** The time limits of a model call, in milliseconds. */
export interface CallLimits {
  /** Until the first byte of the response. */
  readonly firstByteMs: number;
  /** Between two bytes of the response, keep-alive comments included. */
  readonly idleMs: number;
  readonly totalMs: number;
}

/** The call took too long; the message names the limit. */
export class CallTimeout extends Error {
  override readonly name = 'CallTimeout';
}

/**
 * Enforces the time limits of one call. `signal` aborts when `stop` does or when a limit is passed; its reason is then
 * a `CallTimeout`.
 */
export class CallDeadline {
  readonly signal: AbortSignal;
  readonly #limits: CallLimits;
  readonly #timeout = new AbortController();
  readonly #total: NodeJS.Timeout;
  #silence: NodeJS.Timeout;
  #hasBegun = false;

  constructor(limits: CallLimits, stop: AbortSignal) {
    this.#limits = limits;
    this.signal = AbortSignal.any([stop, this.#timeout.signal]);
    this.#total = this.#abortAfter(limits.totalMs, 'did not finish its reply within');
    this.#silence = this.#abortAfter(limits.firstByteMs, 'did not begin its reply within');
  }

  /** Records that bytes have arrived. */
  sawBytes(): void {
    if (this.#hasBegun) return void this.#silence.refresh();
    this.#hasBegun = true;
    clearTimeout(this.#silence);
    this.#silence = this.#abortAfter(this.#limits.idleMs, 'stopped in the middle of its reply and sent nothing for');
  }

  close(): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#total);
  }

  #abortAfter(ms: number, what: string): NodeJS.Timeout {
    return setTimeout(() => this.#timeout.abort(new CallTimeout(`${what} ${formatSeconds(ms)}`)), ms);
  }
}

function formatSeconds(ms: number): string {
  const seconds = Math.round(ms / 100) / 10;
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}
