import { defineSignal, setHandler } from '@temporalio/workflow';
import { WAKE } from '../core/contract.ts';

/** Whether a wake has come since the flag was last lowered, and for which turn. */
export class WakeFlag {
  #isRaised = false;
  // Undefined when one of the wakes was for no turn in particular.
  #seq: number | undefined = 0;

  get isRaised(): boolean {
    return this.#isRaised;
  }

  /** Raises the flag; for a turn at that position of the chat, or for whatever may be open. */
  raise(seq: number | undefined): void {
    this.#isRaised = true;
    this.#seq = seq === undefined || this.#seq === undefined ? undefined : Math.max(seq, this.#seq);
  }

  /** Lowers the flag; returns the position of the last turn it was raised for, `undefined` when it may be any. */
  lower(): number | undefined {
    const seq = this.#isRaised ? this.#seq : undefined;
    this.#isRaised = false;
    this.#seq = 0;
    return seq;
  }
}

/** Raises the flag at each wake of this workflow. */
export function watchWakes(): WakeFlag {
  const flag = new WakeFlag();
  setHandler(defineSignal<[number | undefined]>(WAKE), (seq) => flag.raise(seq));
  return flag;
}
