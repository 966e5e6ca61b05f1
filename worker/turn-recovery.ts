import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Database } from '../db/core/database.ts';
import { type DueTurn, findStoppedTurns, makeOpenTurnsDue, retryWake, takeDueTurns } from '../db/turns/due-turns.ts';
import { settleAll } from '../domain/core/promises.ts';
import { meter } from '../domain/telemetry/meter.ts';
import { wakeConversation } from '../workflows/turns/client.ts';
import type { ConversationInput } from '../workflows/turns/contract.ts';

interface TurnRecoveryDeps {
  readonly database: Database;
  readonly client: Client;
  readonly log: Logger;
  /** Runs the chat's oldest open turn in this process, unless another process runs it; its workflow was woken. */
  readonly takeUp: (chat: ConversationInput) => void;
  /** Ends the chat's oldest open turn, which was asked to stop, in this process; no workflow need follow it. */
  readonly endStopped: (chat: ConversationInput) => void;
}

/** The time from news of a turn to a read of the rows, and between two reads while a turn is due soon. */
const READ_MS = 1_000;
/** The longest pause: a process that has stored a turn may have died before it announced it. */
const REST_MS = 30_000;
/** The turns that one read takes on at most. */
export const BATCH = 50;

/**
 * Continues turns that have stalled: no process has begun them, their process died before a workflow followed them, or
 * their signal was lost. It reads the rows within a second of any news of a turn, then once a second for as long as a
 * turn is due soon, and otherwise rests: turns that a conversation follows continue by the time-outs of its workflow.
 *
 * Wakes the conversations of due turns, and takes the turns up here, since a conversation may first have to be
 * replayed. Both are harmless when they were not needed. Ends turns that were asked to stop by their rows alone, beside
 * that, so that nobody who stops one waits for Temporal.
 */
export class TurnRecovery {
  readonly #loops: readonly Loop[];

  /** Begins with every open turn: Temporal may have lost its state. */
  constructor(deps: TurnRecoveryDeps) {
    let isFirst = true;
    const recoverDue = async (stop: AbortSignal) => {
      if (isFirst) await makeOpenTurnsDue(deps.database);
      isFirst = false;
      return recoverDueTurns(deps, stop);
    };
    const logged = (message: string) => (error: unknown) => deps.log.warn({ err: error }, message);
    this.#loops = [
      new Loop(recoverDue, logged('due turns could not be woken; they are tried again')),
      new Loop(async () => endStoppedTurns(deps), logged('stopped turns could not be read; they are read again')),
    ];
  }

  /** Takes the news that a turn waits to be begun, may be due, or was asked to stop. */
  expectDue(): void {
    for (const loop of this.#loops) loop.expectDue();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#loops.map(async (loop) => loop.stop()));
  }
}

/** Repeats a pass: within a second of any news, once a second while it returns true or throws, and else at its rest. */
class Loop {
  readonly #pass: (stop: AbortSignal) => Promise<boolean>;
  readonly #onFailure: (error: unknown) => void;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #rest = new AbortController();

  constructor(pass: (stop: AbortSignal) => Promise<boolean>, onFailure: (error: unknown) => void) {
    this.#pass = pass;
    this.#onFailure = onFailure;
    this.#running = this.#run();
  }

  expectDue(): void {
    // There may be hundreds of these a second, and each call of `abort` creates an error.
    if (!this.#rest.signal.aborted) this.#rest.abort();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#rest.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#rest = new AbortController();
      let isMoreSoon = true;
      try {
        isMoreSoon = await this.#pass(signal);
      } catch (error) {
        this.#onFailure(error);
      }
      if (!isMoreSoon) await pause(REST_MS, this.#rest.signal);
      await pause(READ_MS, signal);
    }
  }
}

async function pause(ms: number, end: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: end }).catch(() => undefined);
}

/** Continues all turns that are due. Returns whether others are due soon; throws when one could not be woken. */
export async function recoverDueTurns(deps: TurnRecoveryDeps, stop?: AbortSignal): Promise<boolean> {
  for (;;) {
    const { taken, isMoreDueSoon } = await takeDueTurns(deps.database, BATCH);
    await wakeTurns(deps, taken);
    if (taken.length < BATCH || stop?.aborted === true) return isMoreDueSoon;
  }
}

/** Ends turns that were asked to stop and that nobody runs. Returns whether any of the last minute is still open. */
export async function endStoppedTurns({ database, endStopped }: TurnRecoveryDeps): Promise<boolean> {
  const { unattended, isAnyStopping } = await findStoppedTurns(database, BATCH);
  for (const chat of unattended) endStopped(chat);
  return isAnyStopping;
}

async function wakeTurns({ database, client, takeUp }: TurnRecoveryDeps, turns: readonly DueTurn[]): Promise<void> {
  const failed: string[] = [];
  const wakes = turns.map(async (turn) => {
    await wakeConversation(client, turn).catch((error: unknown) => {
      failed.push(turn.turnId);
      throw error;
    });
    meter.count('everturn_repairs_total', { kind: 'turn' });
    takeUp(turn);
  });
  try {
    await settleAll(wakes);
  } finally {
    if (failed.length > 0) await retryWake(database, failed);
  }
}
