/** The state of one message, as its sender knows it. Times are milliseconds since the epoch. */
export interface InFlightMessage {
  sentAt: number | undefined;
  /** The service was seen to have it. */
  ackedAt: number | undefined;
  /** Its answer was seen. */
  endedAt: number | undefined;
  interruptAt: number | undefined;
}

/** The turns that users wait for, and the service's signs of life. */
export class InFlight {
  readonly byMessage = new Map<number, InFlightMessage>();
  /** The slowest turn's time from the recovery of the last fault, or from its own beginning, to its end. */
  slowestEndMs = 0;
  /** Connections that were lost and requests that failed, as users see them. */
  failures = 0;
  #lastRecoveryAt = 0;
  #silentSince = 0;
  #longestSilenceMs = 0;
  readonly #open = new Set<number>();
  #onLife = new Set<() => void>();

  get openCount(): number {
    return this.#open.size;
  }

  /** How many turns ended in a second, from the first message to the last answer. */
  get turnsPerSecond(): number {
    const messages = [...this.byMessage.values()];
    const ended = messages.flatMap(({ endedAt }) => endedAt ?? []);
    const began = messages.flatMap(({ sentAt }) => sentAt ?? []);
    return ended.length === 0 ? 0 : (ended.length * 1_000) / (Math.max(...ended) - Math.min(...began));
  }

  of(message: number): InFlightMessage {
    const known = this.byMessage.get(message);
    if (known !== undefined) return known;
    const added = { sentAt: undefined, ackedAt: undefined, endedAt: undefined, interruptAt: undefined };
    this.byMessage.set(message, added);
    return added;
  }

  sent(message: number): void {
    this.of(message).sentAt ??= Date.now();
    if (this.#open.size === 0) this.#silentSince = Date.now();
    this.#open.add(message);
  }

  acknowledged(message: number): void {
    this.of(message).ackedAt ??= Date.now();
  }

  ended(message: number): void {
    const known = this.of(message);
    this.acknowledged(message);
    this.#open.delete(message);
    if (known.endedAt !== undefined) return;
    known.endedAt = Date.now();
    const since = Math.max(known.sentAt ?? 0, this.#lastRecoveryAt);
    this.slowestEndMs = Math.max(this.slowestEndMs, known.endedAt - since);
  }

  /** Notes that a user was shown something. */
  signOfLife(): void {
    this.#noteSilence();
    this.#silentSince = Date.now();
    const listeners = this.#onLife;
    this.#onLife = new Set();
    for (const listener of listeners) listener();
  }

  /** Returns the longest time without a sign of life, while users waited for one, since it was last taken. */
  takeLongestSilence(): number {
    this.#noteSilence();
    const longest = this.#longestSilenceMs;
    this.#longestSilenceMs = 0;
    return longest;
  }

  /** Notes that the part is up again. Resolves with the milliseconds until the next sign of life. */
  async recovered(): Promise<number> {
    const at = Date.now();
    this.#lastRecoveryAt = at;
    await new Promise<void>((resolve) => this.#onLife.add(resolve));
    return Date.now() - at;
  }

  #noteSilence(): void {
    if (this.#open.size === 0) return;
    this.#longestSilenceMs = Math.max(this.#longestSilenceMs, Date.now() - this.#silentSince);
  }
}
