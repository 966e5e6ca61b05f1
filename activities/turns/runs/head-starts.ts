import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../../db/core/database.ts';
import { NotificationListener } from '../../../db/stream/notification-listener.ts';
import { CONTROL_CHANNEL } from '../../../db/turns/request-interrupt.ts';
import { readReadyTurn, READY_CHANNEL, type ReadyTurn } from '../../../db/turns/ready-turn.ts';
import { KeyedSemaphore } from '../../../domain/core/keyed-semaphore.ts';
import type { ConversationInput } from '../../../workflows/turns/contract.ts';
import { type StepsDeps, takeSteps } from '../take-steps.ts';
import type { RunningTurns } from './running-turns.ts';
import type { TurnRun } from './turn-runs.ts';

interface HeadStartDeps extends StepsDeps {
  readonly log: Logger;
  /** Makes a workflow follow the turn: starts the chat's conversation, or wakes the open one. */
  readonly follow: (turn: ReadyTurn) => Promise<void>;
}

/** More turns are left to their workflows, which wait for a slot of the worker. */
const MAX_RUNS = 400;

/**
 * The head start of a turn in a conversation that is open in another process: that one has the workflow in its cache,
 * and its run can be joined there.
 */
const FOREIGN_DELAY_MS = 15;

/** How much later the engine is notified, so that it does not compete with the model call for the processors. */
const FOLLOW_DELAY_MS = 8;

/** Waits between the attempts to reach the engine. */
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 4_000;

class TooManyWait extends Error {
  override readonly name = 'TooManyWait';
}

/**
 * Begins turns as soon as their messages are accepted, before their workflows do, and has a workflow follow each. It
 * stays ahead of the engine only by a bounded number of turns; the others wait here, payers taking turns. What
 * is lost here, with the process or beyond the bounds, is woken by the recovery.
 */
export class HeadStarts {
  readonly #deps: HeadStartDeps;
  readonly #stopping = new AbortController();
  readonly #serving = new Set<Promise<void>>();
  readonly #unfollowed = new KeyedSemaphore({
    perKey: 48,
    total: 64,
    maxWaiting: 5_000,
    createError: () => new TooManyWait(),
  });

  constructor(deps: HeadStartDeps) {
    this.#deps = deps;
  }

  /** Handles the news that a turn waits to be claimed. */
  take(turn: ReadyTurn): void {
    if (this.#stopping.signal.aborted) return;
    const serving = this.#serveInOrder(turn)
      .catch((error: unknown) => this.#deps.log.debug({ err: error }, 'a turn is left to the recovery'))
      .finally(() => this.#serving.delete(serving));
    this.#serving.add(serving);
  }

  /**
   * Runs the oldest open turn of a chat whose workflow was woken, unless another process holds its lease: after a
   * crash, nobody waits until the workflow's history is replayed.
   */
  takeUp(chat: ConversationInput): void {
    this.#takeUp(chat, { isFollowed: true });
  }

  /**
   * Ends the oldest open turn of a chat, which was asked to stop, and the sub-agents that it waits for, whether or not
   * workflows follow them.
   */
  endStopped(chat: ConversationInput): void {
    void this.#endStopped(chat).catch((error: unknown) => {
      this.#deps.log.debug({ err: error, chatId: chat.chatId }, 'a stopped turn is left to its own workflow');
    });
  }

  async #endStopped(chat: ConversationInput): Promise<void> {
    const result = await this.#takeUp(chat, { isFollowed: false })?.result;
    if (result?.next?.kind !== 'calls') return;
    for (const { subChatId } of result.next.calls)
      if (subChatId !== null) this.endStopped({ orgId: chat.orgId, chatId: subChatId });
  }

  #takeUp(chat: ConversationInput, options: { readonly isFollowed: boolean }): TurnRun | undefined {
    const { runs } = this.#deps;
    if (runs.isStopping || runs.size >= MAX_RUNS || runs.get(chat) !== undefined) return undefined;
    return runs.begin(chat, async (self) => takeSteps(this.#deps, chat, self), options);
  }

  /** Starts no more turns; resolves when those that were begun are followed, or their leases are released. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#serving);
  }

  async #serveInOrder(turn: ReadyTurn): Promise<void> {
    // The turn before it runs here: the run continues from there, or ends and leaves this one to be claimed.
    for (let run = this.#runOf(turn); run !== undefined; run = this.#runOf(turn)) {
      await run.result.catch(() => undefined);
    }
    const { signal } = this.#stopping;
    const payer = this.#deps.turns.database.payers.known(turn.orgId);
    await this.#unfollowed.run(payer, async () => this.#serve(turn), { signal });
  }

  async #serve(turn: ReadyTurn): Promise<void> {
    const { runs } = this.#deps;
    if (turn.isFollowUp && !runs.knows(turn)) await this.#sleep(FOREIGN_DELAY_MS);
    if (runs.isStopping || this.#runOf(turn) !== undefined) return;
    // Without room for it here, only its workflow is woken.
    if (runs.size < MAX_RUNS && !(await this.#begin(turn))) return;
    await this.#sleep(FOLLOW_DELAY_MS);
    await this.#follow(turn);
  }

  async #begin(turn: ReadyTurn): Promise<boolean> {
    const run = this.#deps.runs.begin(turn, async (self) => takeSteps(this.#deps, turn, self, { isHeadStart: true }));
    return run.hasClaimed;
  }

  // A turn that was claimed is followed, however long the engine is away.
  async #follow(turn: ReadyTurn): Promise<void> {
    for (let pauseMs = FIRST_RETRY_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_RETRY_MS)) {
      try {
        await this.#deps.follow(turn);
        return;
      } catch (error) {
        this.#deps.log.warn({ err: error, chatId: turn.chatId }, 'Temporal could not be notified of a turn yet');
        if (this.#stopping.signal.aborted) return;
        await this.#sleep(pauseMs);
      }
    }
  }

  #runOf(turn: ReadyTurn) {
    return this.#deps.runs.get(turn);
  }

  async #sleep(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }
}

interface Listeners {
  readonly database: Database;
  readonly runningTurns: RunningTurns;
  readonly headStarts: HeadStarts;
  /** Notified of all news, and that some may have been lost. */
  readonly recovery: { readonly expectDue: () => void };
}

/** Listens for turns to begin, to continue and to stop, on one connection; throws when the database does not answer. */
export async function listenToTurns({
  database,
  runningTurns,
  headStarts,
  recovery,
}: Listeners): Promise<NotificationListener> {
  const listener = await NotificationListener.start({
    url: database.url,
    channels: [CONTROL_CHANNEL, READY_CHANNEL],
    onNotification: (channel, payload) => {
      recovery.expectDue();
      if (channel === CONTROL_CHANNEL) {
        runningTurns.interrupt(payload);
        return;
      }
      const turn = readReadyTurn(payload);
      if (turn !== undefined) headStarts.take(turn);
    },
    onReconnect: () => {
      recovery.expectDue();
      void runningTurns.poll();
    },
  });
  // Announcements before it listened are lost.
  recovery.expectDue();
  return listener;
}
