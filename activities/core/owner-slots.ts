import type { Database } from '../../db/core/database.ts';
import { KeyedSemaphore } from '../../domain/core/keyed-semaphore.ts';
import { NoFreeSlot } from './failure-interceptor.ts';

/**
 * Bounds the activities of one kind that run at once in a process, for each owner and in all. The servers that they
 * reach are named by organizations and may answer slowly or never, and turns need the slots of the worker as well.
 */
export class OwnerSlots {
  readonly #slots = new KeyedSemaphore({ perKey: 10, total: 60, maxWaiting: 0, createError: () => new NoFreeSlot() });

  /** Does the work of an organization; throws `NoFreeSlot` when its owner has no slot left. */
  async run<T>({ payers }: Pick<Database, 'payers'>, orgId: string, work: () => Promise<T>): Promise<T> {
    return this.#slots.run(await payers.of(orgId), work);
  }
}
