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
  #lastRecoveryAt = 0;
  readonly #open = new Set<number>();
  #onLife = new Set<() => void>();

  get openCount(): number {
    return this.#open.size;
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
    const listeners = this.#onLife;
    this.#onLife = new Set();
    for (const listener of listeners) listener();
  }

  /** Notes that the part is up again. Resolves with the milliseconds until the next sign of life. */
  async recovered(): Promise<number> {
    const at = Date.now();
    this.#lastRecoveryAt = at;
    await new Promise<void>((resolve) => this.#onLife.add(resolve));
    return Date.now() - at;
  }
}
