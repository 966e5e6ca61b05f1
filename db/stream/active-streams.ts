/** How long a stream counts after its last text, at least; at most some twice as long. */
const PERIOD_MS = 1_000;

/**
 * Counts the streams that have had text lately. An attempt that is given up never ends its stream, so that ends alone
 * cannot be counted on.
 */
export class ActiveStreams {
  #current = new Set<object>();
  #before = new Set<object>();
  #periodEndsAt = 0;

  get count(): number {
    return this.#current.size + this.#before.size;
  }

  /** Notes that these streams have text now, in milliseconds of a clock that never goes back. */
  note(streams: Iterable<object>, now: number): void {
    if (now >= this.#periodEndsAt) this.#turn(now);
    for (const stream of streams) {
      this.#before.delete(stream);
      this.#current.add(stream);
    }
  }

  #turn(now: number): void {
    const isOld = now >= this.#periodEndsAt + PERIOD_MS;
    this.#before = isOld ? new Set() : this.#current;
    this.#current = new Set();
    this.#periodEndsAt = now + PERIOD_MS;
  }
}
