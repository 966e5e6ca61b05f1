import { CRASH_MS, KeyedSemaphore, type Payer } from '../../../domain/core/keyed-semaphore.ts';
import { ProcessDied, ToolFailure } from '../tool-failure.ts';

/** How often it is looked for scripts that have to give way, in milliseconds. */
const LOOK_MS = 250;

interface PlaceBounds {
  /** The most scripts at once: of one payer, and of all together. */
  readonly perPayer: number;
  readonly total: number;
  /** A script that waits for an answer keeps its place so long, in milliseconds, though others need it. */
  readonly graceMs: number;
  /** The most scripts of one payer that have no place yet, their total size, and their longest wait. */
  readonly maxWaiting: number;
  readonly maxWaitingSize: number;
  readonly maxWaitMs: number;
}

/** The place of a script: its process and the memory of it. */
export class ScriptPlace {
  readonly payer: Payer;
  readonly #loss = new AbortController();
  #waitsSince: number | undefined;

  constructor(payer: Payer) {
    this.payer = payer;
  }

  /** Aborts when the script has to end, because others need its place. */
  get lost(): AbortSignal {
    return this.#loss.signal;
  }

  /** Tells whether the script does nothing but wait for answers. */
  setWaiting(isWaiting: boolean): void {
    this.#waitsSince = isWaiting ? performance.now() : undefined;
  }

  /** Returns how long it has waited, in milliseconds; 0 when it computes. */
  waitedMs(): number {
    return this.#waitsSince === undefined ? 0 : performance.now() - this.#waitsSince;
  }

  /** Takes the place away. */
  take(): void {
    const words = 'The script has waited for an answer while others needed its place; try again later';
    this.#loss.abort(new ToolFailure('rate_limited', words));
  }
}

/**
 * Bounds the scripts that are there at once, most of which wait for answers from outside. While all places are taken,
 * the script that has waited longest gives way to those of payers that have fewer: nobody's slow servers keep
 * others from running theirs.
 */
export class ScriptPlaces {
  readonly #bounds: PlaceBounds;
  readonly #places: KeyedSemaphore;
  readonly #held = new Set<ScriptPlace>();
  /** The payers of the scripts that have no place yet. */
  readonly #asking: Payer[] = [];
  #look: NodeJS.Timeout | undefined;

  constructor(bounds: PlaceBounds) {
    const { perPayer: perKey, total, maxWaiting, maxWaitingSize, maxWaitMs } = bounds;
    const words = `All script slots are in use (at most ${perKey} for the organizations of one owner); try again later`;
    const createError = () => new ToolFailure('rate_limited', words);
    this.#bounds = bounds;
    this.#places = new KeyedSemaphore({ perKey, total, maxWaiting, maxWaitingSize, maxWaitMs, createError });
  }

  /** Runs `work` as soon as there is a place, and returns its result. `size` counts until then. */
  async hold<T>(
    payer: Payer,
    work: (place: ScriptPlace) => Promise<T>,
    options: { readonly size: number; readonly signal: AbortSignal },
  ): Promise<T> {
    let isAsking = true;
    const stopAsking = () => {
      if (isAsking) this.#stopAsking(payer);
      isAsking = false;
    };
    this.#asking.push(payer);
    const running = this.#places.hold(
      payer,
      async () => {
        stopAsking();
        return this.#with(new ScriptPlace(payer), work);
      },
      options,
    );
    this.#makeRoom();
    return running.finally(stopAsking);
  }

  async #with<T>(place: ScriptPlace, work: (place: ScriptPlace) => Promise<T>): Promise<T> {
    this.#held.add(place);
    try {
      return await work(place);
    } catch (error) {
      if (error instanceof ProcessDied) this.#places.charge(place.payer, CRASH_MS);
      throw error;
    } finally {
      this.#held.delete(place);
    }
  }

  #stopAsking(payer: Payer): void {
    this.#asking.splice(this.#asking.indexOf(payer), 1);
    if (this.#asking.length > 0) return;
    clearInterval(this.#look);
    this.#look = undefined;
  }

  #makeRoom(): void {
    if (this.#asking.length === 0) return;
    this.#look ??= setInterval(() => this.#makeRoom(), LOOK_MS).unref();
    const isFull = this.#held.size >= this.#bounds.total;
    // One after the other: a place that was taken away is free once its script has ended.
    if (!isFull || [...this.#held].some(({ lost }) => lost.aborted)) return;
    const fewest = Math.min(...this.#asking.map((payer) => this.#countOf(payer)));
    this.#longestWaiting(fewest)?.take();
  }

  /** Returns the script to give way to a payer that has so many. */
  #longestWaiting(count: number): ScriptPlace | undefined {
    const waiting = [...this.#held].filter((place) => place.waitedMs() >= this.#bounds.graceMs && place.waitedMs() > 0);
    const most = Math.max(0, ...waiting.map(({ payer }) => this.#countOf(payer)));
    if (most <= count) return undefined;
    return waiting
      .filter(({ payer }) => this.#countOf(payer) === most)
      .toSorted((a, b) => b.waitedMs() - a.waitedMs())[0];
  }

  #countOf({ ownerId }: Payer): number {
    return [...this.#held].filter(({ payer }) => payer.ownerId === ownerId).length;
  }
}
