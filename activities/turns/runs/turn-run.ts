import type { NextTurnResult } from '../../../workflows/turns/contract.ts';
import type { Cancellation } from '../../core/cancellation.ts';
import { HandOver } from '../../core/failure-interceptor.ts';

/** What a run has claimed. */
interface ClaimedByRun {
  readonly turnId: string;
  readonly seq: number;
}

/**
 * The work of this process on the oldest open turn of a chat. It belongs to the process, not to an activity: activities
 * join it, and it goes on when one of them times out. It ends early only when the turn's lease is lost or the process
 * stops.
 */
export class TurnRun {
  readonly #abort = new AbortController();
  readonly #isStopping: () => boolean;
  readonly #begun = Promise.withResolvers<boolean>();
  #claimed: ClaimedByRun | undefined;
  #endedSeq = 0;
  /** Whether a workflow waits for it. */
  isFollowed: boolean;
  readonly begunAt = performance.now();
  /** Settles with the run; `undefined` when there was nothing to claim. */
  readonly result: Promise<NextTurnResult | undefined>;

  constructor(
    { isStopping, isFollowed }: { readonly isStopping: () => boolean; readonly isFollowed: boolean },
    work: (run: TurnRun) => Promise<NextTurnResult | undefined>,
  ) {
    this.#isStopping = isStopping;
    this.isFollowed = isFollowed;
    this.result = work(this).finally(() => this.#begun.resolve(false));
  }

  /** Resolves as soon as it is known whether the run has claimed a turn. */
  get hasClaimed(): Promise<boolean> {
    return this.#begun.promise;
  }

  /** The turn whose lease it holds; `undefined` before the claim, and after the turn's end. */
  get held(): ClaimedByRun | undefined {
    return this.#claimed;
  }

  /** The position of the turn that it has ended, 0 while there is none: that turn and those before it need no read. */
  get endedSeq(): number {
    return this.#endedSeq;
  }

  /** What ends the run early. */
  get cancellation(): Cancellation {
    return { cancelled: this.#abort.signal, isShutdown: this.#isStopping };
  }

  /** Notes that the run has claimed a turn, or begun another step of it. */
  claim(turn: ClaimedByRun): void {
    this.#claimed = turn;
    this.#begun.resolve(true);
  }

  /** Notes that the claimed turn has ended. */
  end(): void {
    this.#endedSeq = this.#claimed?.seq ?? 0;
    this.#claimed = undefined;
  }

  /** Ends the work at its next wait; another process goes on with the turn. */
  handOver(): void {
    this.#abort.abort(new HandOver());
  }
}
