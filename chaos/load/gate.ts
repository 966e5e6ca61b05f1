import type { Random } from '../../test/support/random.ts';

/** Lets numbered groups of visitors pass in the order of their numbers, as far as it is open, and so many at a time. */
export class Gate {
  readonly #slots: number;
  readonly #waiting: { readonly number: number; readonly size: number; readonly enter: () => void }[] = [];
  #openUpTo = 0;
  #inside = 0;
  #entered = 0;

  constructor(slots: number) {
    this.#slots = slots;
  }

  /** The number of visitors that were admitted. */
  get entered(): number {
    return this.#entered;
  }

  /** Opens it for all numbers below. */
  open(upTo: number): void {
    this.#openUpTo = Math.max(this.#openUpTo, upTo);
    this.#letIn();
  }

  /** Resolves when the group may pass; it calls `leave` when it is done. */
  async pass(number: number, size: number): Promise<void> {
    await new Promise<void>((enter) => {
      this.#waiting.push({ number, size, enter });
      this.#waiting.sort((a, b) => a.number - b.number);
      this.#letIn();
    });
  }

  leave(): void {
    this.#inside -= 1;
    this.#letIn();
  }

  #letIn(): void {
    while (this.#inside < this.#slots) {
      const [next] = this.#waiting;
      if (next === undefined || next.number >= this.#openUpTo) return;
      this.#waiting.shift();
      this.#inside += 1;
      this.#entered += next.size;
      next.enter();
    }
  }
}

/** A tenth of what docs/turn.md recommends, and a lower end: many reconnections in a short time are the point. */
const BASE_MS = 100;
const LONGEST_MS = 3_000;

/** Returns how long a client waits before it reconnects: min(base * 2^n + random up to base, longest). */
export function backOffMs(random: Random, failures: number): number {
  return Math.min(BASE_MS * 2 ** Math.min(failures, 16) + random.below(BASE_MS), LONGEST_MS);
}
