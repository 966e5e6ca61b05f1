import type { ClaimedTurn } from '../../../db/turns/index.ts';
import { type Holding, KeyedSemaphore, type Payer } from '../../../domain/core/keyed-semaphore.ts';
import { NoPlace } from '../../core/failure-interceptor.ts';

/** How much of the heap the conversations of all turns take together, and those that one person pays for. */
const SHARE_OF_ALL = 1 / 3;
const SHARE_OF_PAYER = SHARE_OF_ALL / 4;
/** Turns of one payer that wait; more are tried again later. */
const MAX_WAITING = 1_000;
/**
 * The most memory that a byte of a conversation takes while a request is made of it: in the rows, in the transcript and
 * in the request, each with two bytes a character when one is beyond Latin-1.
 */
const BYTES_OF_BYTE = 8;
/** What takes no more than this does not wait. */
const SMALL_BYTES = 1_000_000;
/** The key of those that may have ended a process. */
const SUSPECTS = 'suspects';

/**
 * Bounds the memory that conversations take in this process while requests to models are made of them and sent. A turn
 * waits in its run until there is room for its conversation, and payers take turns; short conversations do not wait.
 */
export class TurnMemory {
  readonly #bytesOfPayer: number;
  readonly #room: KeyedSemaphore;

  /** @param heapBytes the bound on the heap of this process. */
  constructor(heapBytes: number) {
    this.#bytesOfPayer = Math.floor(heapBytes * SHARE_OF_PAYER);
    this.#room = new KeyedSemaphore({
      perKey: this.#bytesOfPayer,
      total: Math.floor(heapBytes * SHARE_OF_ALL),
      maxWaiting: MAX_WAITING,
      createError: () => new NoPlace(),
    });
  }

  /**
   * Takes room for the conversation of a turn, and for what its files take; `undefined` when it needs none. One that
   * was being read when a process ended waits for others of this kind: it may have been the reason.
   */
  async take(
    { history, unfinishedReads }: Pick<ClaimedTurn, 'history' | 'unfinishedReads'>,
    { payer, bytesOfFiles }: { readonly payer: Payer; readonly bytesOfFiles: number },
    stop: AbortSignal,
  ): Promise<Holding | undefined> {
    const weight = BYTES_OF_BYTE * history.bytes + bytesOfFiles;
    if (!history.isOutline && weight <= SMALL_BYTES) return undefined;
    if (unfinishedReads === 0) return this.#room.acquire(payer, { weight, signal: stop });
    return this.#room.acquire(SUSPECTS, { weight: Math.max(weight, this.#bytesOfPayer), signal: stop });
  }
}
