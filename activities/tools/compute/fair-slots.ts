import { ToolFailure } from '../tool-failure.ts';

interface Limits {
  /** Jobs at work at once, and how many of them may be of one organization. */
  readonly atWork: number;
  readonly atWorkOfOne: number;
  /** Jobs of one organization that may wait, and the characters that they may hold meanwhile. */
  readonly waiting: number;
  readonly waitingSize: number;
}

interface Waiting {
  readonly size: number;
  readonly begin: () => void;
}

/** Slots for jobs at work. Organizations take turns, and none can have all slots, so nobody waits for another's queue. */
export class FairSlots {
  readonly #limits: Limits;
  readonly #atWork = new Map<string, number>();
  // In the order in which the organizations are next.
  readonly #waiting = new Map<string, Waiting[]>();
  #total = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Resolves when a job of the organization may begin. `size`: the characters that it holds until then. */
  async take(orgId: string, size: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#hasSlotFor(orgId)) {
      this.#begin(orgId);
      return;
    }
    const queue = this.#waiting.get(orgId) ?? [];
    this.#checkRoom(queue, size);
    await new Promise<void>((resolve, reject) => {
      const begin = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const job = { size, begin };
      const leave = () => {
        this.#remove(orgId, job);
        reject(signal.reason as Error);
      };
      queue.push(job);
      this.#waiting.set(orgId, queue);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** Gives back what `take` gave. */
  free(orgId: string): void {
    this.#total -= 1;
    const count = (this.#atWork.get(orgId) ?? 0) - 1;
    if (count > 0) this.#atWork.set(orgId, count);
    else this.#atWork.delete(orgId);
    for (const [next, [job]] of this.#waiting) {
      if (job === undefined || !this.#hasSlotFor(next)) continue;
      this.#begin(next);
      this.#remove(next, job);
      job.begin();
      return;
    }
  }

  #hasSlotFor(orgId: string): boolean {
    return this.#total < this.#limits.atWork && (this.#atWork.get(orgId) ?? 0) < this.#limits.atWorkOfOne;
  }

  #begin(orgId: string): void {
    this.#total += 1;
    this.#atWork.set(orgId, (this.#atWork.get(orgId) ?? 0) + 1);
  }

  #checkRoom(queue: readonly Waiting[], size: number): void {
    const held = queue.reduce((sum, job) => sum + job.size, size);
    if (queue.length < this.#limits.waiting && held <= this.#limits.waitingSize) return;
    throw new ToolFailure('rate_limited', 'Too many calculations of your organization are waiting; try again later');
  }

  // The organization goes to the end of the line, unless nothing of it waits any more.
  #remove(orgId: string, job: Waiting): void {
    const rest = (this.#waiting.get(orgId) ?? []).filter((each) => each !== job);
    this.#waiting.delete(orgId);
    if (rest.length > 0) this.#waiting.set(orgId, rest);
  }
}
