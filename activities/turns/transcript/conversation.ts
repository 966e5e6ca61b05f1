import type { Database } from '../../../db/core/index.ts';
import type { TurnHistory } from '../../../db/transcripts/index.ts';
import { noteRead, readHistory } from '../../../db/turns/index.ts';
import type { Holding } from '../../../domain/core/keyed-semaphore.ts';
import { retryWhileDatabaseUnavailable } from '../../core/retry-while-database-unavailable.ts';
import { type StepAttempt, Superseded } from '../ask/step-attempt.ts';
import type { TurnMemory } from './turn-memory.ts';

export interface ConversationDeps {
  readonly database: Database;
  readonly memory: TurnMemory;
}

/** How a conversation is used. */
interface Use<T> {
  /** What its files take beside it. */
  readonly bytesOfFiles?: number;
  /** Reads the conversation last, and keeps nothing of it but what it returns. */
  readonly use: (read: () => Promise<TurnHistory>) => Promise<T>;
  /** The bytes that the result takes. */
  readonly sizeOf: (result: T) => number;
}

/**
 * Uses the whole conversation of a turn once there is room for it in memory. A long one is read anew, and given up
 * afterwards. Returns the result with the room that it takes, which the caller gives back. Throws `Superseded` when
 * another attempt has begun, and the reason of `stop`.
 */
export async function useConversation<T>(
  { database, memory }: ConversationDeps,
  attempt: StepAttempt,
  { bytesOfFiles = 0, use, sizeOf }: Use<T>,
  stop: AbortSignal,
): Promise<{ readonly result: T; readonly holding: Holding | undefined }> {
  const { turn, ref } = attempt;
  const holding = await memory.take(turn, { payer: database.payers.known(ref.orgId), bytesOfFiles }, stop);
  try {
    const result = await use(async () => historyOf(database, attempt, stop));
    holding?.reduceTo(sizeOf(result));
    return { result, holding };
  } catch (error) {
    holding?.reduceTo(0);
    throw error;
  } finally {
    // Nobody waits for it. When it is lost, the next process reads the conversation with more care.
    if (turn.history.isOutline) void noteRead(database, ref).catch(() => undefined);
  }
}

async function historyOf(database: Database, attempt: StepAttempt, stop: AbortSignal): Promise<TurnHistory> {
  const { turn, ref, chatId } = attempt;
  if (!turn.history.isOutline) return turn.history;
  const history = await retryWhileDatabaseUnavailable(stop, () => readHistory(database, ref, chatId));
  if (history === undefined) throw new Superseded();
  return history;
}
