import { LRUCache } from 'lru-cache';
import type { Database } from '../../../db/core/database.ts';
import { releaseLease, renewLeases } from '../../../db/turns/leases.ts';
import { conversationId, type ConversationInput, type NextTurnResult } from '../../../workflows/turns/contract.ts';
import type { Cancellation } from '../../core/cancellation.ts';
import { HandOver } from '../../core/failure-interceptor.ts';

interface TurnRunsDeps {
  readonly database: Database;
  /** The id of this process. */
  readonly runner: string;
  readonly onFailure: (error: unknown) => void;
}

/** Several renewals fit into a lease, so that a slow one does not lose it. */
const RENEW_MS = 1_500;

/** A renewal that takes longer is abandoned: its connection may be dead, and the next one uses another. */
const RENEWAL_LIMIT_MS = 4_000;

/** Longer than all steps of a run may take together; each has limits of its own, so such a run hangs. */
const LONGEST_RUN_MS = 2 * 3_600_000;

/** The end of a turn, as reported to its workflow. */
interface EndedTurn {
  readonly seq: number;
  readonly result: NextTurnResult;
}

/** The chats whose last ended turn is remembered. */
const MAX_REMEMBERED = 20_000;
const REMEMBERED_MS = 60_000;

/**
 * The runs of this process, at most one for each chat: a notification, a local activity and an ordinary one that come
 * for the same turn share one. Holds the leases of their turns.
 */
export class TurnRuns {
  readonly runner: string;
  readonly #deps: TurnRunsDeps;
  // Both by the id of the chat's conversation, which names the organization too.
  readonly #runs = new Map<string, TurnRun>();
  readonly #ended = new LRUCache<string, EndedTurn>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS });
  readonly #timer: NodeJS.Timeout;
  #isRenewing = false;
  #isStopping = false;

  constructor(deps: TurnRunsDeps) {
    this.#deps = deps;
    this.runner = deps.runner;
    this.#timer = setInterval(() => void this.#renew(), RENEW_MS);
  }

  /** The number of runs. */
  get size(): number {
    return this.#runs.size;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Returns the run of a chat. */
  get(chat: ConversationInput): TurnRun | undefined {
    return this.#runs.get(conversationId(chat));
  }

  /** Returns the result of the turn at this position of the chat if it, or a later one, ended here a short time ago. */
  ended(chat: ConversationInput, seq: number): NextTurnResult | undefined {
    const last = this.#ended.get(conversationId(chat));
    return last !== undefined && last.seq >= seq ? last.result : undefined;
  }

  /** Returns whether this process has run a turn of the chat a short time ago: its workflow is likely cached here. */
  knows(chat: ConversationInput): boolean {
    const key = conversationId(chat);
    return this.#runs.has(key) || this.#ended.has(key);
  }

  /** Begins the run of a chat that has none. */
  begin(
    chat: ConversationInput,
    work: (run: TurnRun) => Promise<NextTurnResult | undefined>,
    { isFollowed = false }: { readonly isFollowed?: boolean } = {},
  ): TurnRun {
    const run = new TurnRun({ isStopping: () => this.#isStopping, isFollowed }, async (self) => {
      try {
        const result = await work(self);
        if (self.endedSeq > 0 && result !== undefined)
          this.#ended.set(conversationId(chat), { seq: self.endedSeq, result });
        return result;
      } finally {
        await this.#end(chat, self);
      }
    });
    this.#runs.set(conversationId(chat), run);
    // Whoever joins it takes its failure; with nobody there the recovery wakes the chat.
    run.result.catch(() => undefined);
    if (this.#isStopping) run.handOver();
    return run;
  }

  /** Hands all runs over, and takes no more: resolves when they have ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const runs = [...this.#runs.values()];
    for (const run of runs) run.handOver();
    await Promise.allSettled(runs.map(({ result }) => result));
    clearInterval(this.#timer);
  }

  async #end(chat: ConversationInput, run: TurnRun): Promise<void> {
    try {
      // The next step may be up to another process, such as a tool call or the end of a wait.
      if (run.claimed !== undefined)
        await releaseLease(this.#deps.database, { orgId: chat.orgId, turnId: run.claimed.turnId, runner: this.runner });
    } catch (error) {
      // It runs out by itself.
      this.#deps.onFailure(error);
    } finally {
      this.#forget(chat, run);
    }
  }

  // By identity: a run that hung was replaced.
  #forget(chat: ConversationInput, run: TurnRun): void {
    const key = conversationId(chat);
    if (this.#runs.get(key) === run) this.#runs.delete(key);
  }

  #giveUpHungRuns(): void {
    const oldest = performance.now() - LONGEST_RUN_MS;
    for (const [key, run] of this.#runs) {
      if (run.begunAt > oldest) continue;
      run.handOver();
      this.#runs.delete(key);
    }
  }

  async #renew(): Promise<void> {
    this.#giveUpHungRuns();
    this.#ended.purgeStale();
    const leased = [...this.#runs.values()].flatMap((run) =>
      run.claimed === undefined ? [] : [{ run, id: run.claimed.turnId }],
    );
    if (leased.length === 0 || this.#isRenewing) return;
    this.#isRenewing = true;
    try {
      const turns = leased.map(({ run: { isFollowed }, id }) => ({ id, isFollowed }));
      const kept = new Set(await inTime(renewLeases(this.#deps.database, this.runner, turns)));
      for (const { run, id } of leased) if (!kept.has(id) && run.claimed?.turnId === id) run.handOver();
    } catch (error) {
      this.#deps.onFailure(error);
    } finally {
      this.#isRenewing = false;
    }
  }
}

async function inTime<T>(renewal: Promise<T>): Promise<T> {
  const timedOut = Promise.withResolvers<never>();
  const error = new Error(`the leases were not renewed within ${RENEWAL_LIMIT_MS} ms`);
  const timer = setTimeout(() => timedOut.reject(error), RENEWAL_LIMIT_MS);
  try {
    return await Promise.race([renewal, timedOut.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The turn that a run has claimed. */
interface ClaimedByRun {
  readonly turnId: string;
  readonly seq: number;
}

/**
 * The work of this process on the oldest open turn of a chat. It belongs to the process, not to an activity: activities
 * join it, and it continues when one of them times out. It ends early only when the turn's lease is lost or the process
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

  /** The turn whose lease it has; `undefined` before the claim, and after the turn's end. */
  get claimed(): ClaimedByRun | undefined {
    return this.#claimed;
  }

  /** The position of the turn that it has ended, 0 while there is none: that turn and those before it need no read. */
  get endedSeq(): number {
    return this.#endedSeq;
  }

  /** The signal that ends the run early. */
  get cancellation(): Cancellation {
    return { cancelled: this.#abort.signal, isShutdown: this.#isStopping };
  }

  /** Records that the run has claimed a turn, or begun another step of it. */
  claim(turn: ClaimedByRun): void {
    this.#claimed = turn;
    this.#begun.resolve(true);
  }

  /** Records that the claimed turn has ended. */
  end(): void {
    this.#endedSeq = this.#claimed?.seq ?? 0;
    this.#claimed = undefined;
  }

  /** Ends the work at its next wait; another process continues the turn. */
  handOver(): void {
    this.#abort.abort(new HandOver());
  }
}
