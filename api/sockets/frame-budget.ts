/** Frames a client may send at once, and then each second. */
const BURST = 40;
const PER_SECOND = 20;

/** Counts the frames of one socket. */
export class FrameBudget {
  #left = BURST;
  #countedAt = performance.now();

  /** Takes one frame; returns false when there have been too many. */
  take(): boolean {
    const now = performance.now();
    this.#left = Math.min(BURST, this.#left + ((now - this.#countedAt) / 1000) * PER_SECOND);
    this.#countedAt = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
