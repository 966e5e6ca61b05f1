import { CRASH_MS, KeyedSemaphore, type Payer } from '../../../domain/core/keyed-semaphore.ts';
import { ProcessDied, ToolFailure } from '../tool-failure.ts';

/** How often to check for scripts that have to give way, in milliseconds. */
const CHECK_MS = 250;

interface SlotBounds {
  /** The most scripts at once: of one payer, and of all together. */
  readonly perPayer: number;
  readonly total: number;
  /** A script that waits for an answer keeps its slot so long, in milliseconds, though others need it. */
  readonly graceMs: number;
  /** The most scripts of one payer that have no slot yet, their total size, and their longest wait. */
  readonly maxWaiting: number;
  readonly maxWaitingSize: number;
  readonly maxWaitMs: number;
}

/** The slot of a script: its process and the memory of it. */
export class ScriptSlot {
  readonly payer: Payer;
  readonly #loss = new AbortController();
  #waitsSince: number | undefined;

  constructor(payer: Payer) {
    this.payer = payer;
  }

  /** Aborts when the script has to end, because others need its slot. */
  get lost(): AbortSignal {
    return this.#loss.signal;
  }

  /** Sets whether the script does nothing but wait for answers. */
  setWaiting(isWaiting: boolean): void {
    this.#waitsSince = isWaiting ? performance.now() : undefined;
  }

  /** Returns how long it has waited, in milliseconds; 0 when it computes. */
  waitedMs(): number {
    return this.#waitsSince === undefined ? 0 : performance.now() - this.#waitsSince;
  }

  /** Revokes the slot. */
  take(): void {
    const words = 'The script has waited for an answer while others needed its slot; try again later';
    this.#loss.abort(new ToolFailure('rate_limited', words));
  }
}

/**
 * Bounds the scripts that are there at once, most of which wait for answers from outside. While all slots are taken,
 * the script that has waited longest gives way to those of payers that have fewer: nobody's slow servers keep
 * others from running theirs.
 */
export class ScriptSlots {
  readonly #bounds: SlotBounds;
  readonly #slots: KeyedSemaphore;
  readonly #taken = new Set<ScriptSlot>();
  /** The payers of the scripts that have no slot yet. */
  readonly #asking: Payer[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(bounds: SlotBounds) {
    const { perPayer: perKey, total, maxWaiting, maxWaitingSize, maxWaitMs } = bounds;
    const words = `All script slots are in use (at most ${perKey} for the organizations of one owner); try again later`;
    const createError = () => new ToolFailure('rate_limited', words);
    this.#bounds = bounds;
    this.#slots = new KeyedSemaphore({ perKey, total, maxWaiting, maxWaitingSize, maxWaitMs, createError });
  }

  /** Runs `work` as soon as there is a slot, and returns its result. `size` counts until then. */
  async run<T>(
    payer: Payer,
    work: (slot: ScriptSlot) => Promise<T>,
    options: { readonly size: number; readonly signal: AbortSignal },
  ): Promise<T> {
    let isAsking = true;
    const stopAsking = () => {
      if (isAsking) this.#stopAsking(payer);
      isAsking = false;
    };
    this.#asking.push(payer);
    const running = this.#slots.run(
      payer,
      async () => {
        stopAsking();
        return this.#with(new ScriptSlot(payer), work);
      },
      options,
    );
    this.#makeRoom();
    return running.finally(stopAsking);
  }

  async #with<T>(slot: ScriptSlot, work: (slot: ScriptSlot) => Promise<T>): Promise<T> {
    this.#taken.add(slot);
    try {
      return await work(slot);
    } catch (error) {
      if (error instanceof ProcessDied) this.#slots.charge(slot.payer, CRASH_MS);
      throw error;
    } finally {
      this.#taken.delete(slot);
    }
  }

  #stopAsking(payer: Payer): void {
    this.#asking.splice(this.#asking.indexOf(payer), 1);
    if (this.#asking.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #makeRoom(): void {
    if (this.#asking.length === 0) return;
    this.#timer ??= setInterval(() => this.#makeRoom(), CHECK_MS).unref();
    const isFull = this.#taken.size >= this.#bounds.total;
    // One after the other: a slot that was taken away is free once its script has ended.
    if (!isFull || [...this.#taken].some(({ lost }) => lost.aborted)) return;
    const fewest = Math.min(...this.#asking.map((payer) => this.#countOf(payer)));
    this.#longestWaiting(fewest)?.take();
  }

  /** Returns the script to give way to a payer that has so many. */
  #longestWaiting(count: number): ScriptSlot | undefined {
    const waiting = [...this.#taken].filter((slot) => slot.waitedMs() >= this.#bounds.graceMs && slot.waitedMs() > 0);
    const most = Math.max(0, ...waiting.map(({ payer }) => this.#countOf(payer)));
    if (most <= count) return undefined;
    return waiting
      .filter(({ payer }) => this.#countOf(payer) === most)
      .toSorted((a, b) => b.waitedMs() - a.waitedMs())[0];
  }

  #countOf({ ownerId }: Payer): number {
    return [...this.#taken].filter(({ payer }) => payer.ownerId === ownerId).length;
  }
}
