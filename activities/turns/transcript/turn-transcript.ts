import type { Database } from '../../../db/core/database.ts';
import type { TurnHistory } from '../../../db/transcripts/for-turn.ts';
import type { ClaimedTurn } from '../../../db/turns/claim/claimed-turn.ts';
import { noteRead, readHistory } from '../../../db/turns/claim/claim-turn.ts';
import { KeyedSemaphore, type Payer, type Permit } from '../../../domain/core/keyed-semaphore.ts';
import { NoFreeSlot } from '../../core/failure-interceptor.ts';
import { retryWhileDatabaseUnavailable } from '../../core/passing-error.ts';
import { ProviderFailure } from '../../llm/failures/provider-failure.ts';
import type { RenderedTranscript, TranscriptReader } from '../../llm/model-adapter.ts';
import { type StepAttempt, Superseded } from '../ask/step-attempt.ts';
import { type AttachmentDeps, type NamedFiles, readAttachments } from './attachments.ts';
import type { Prompt } from './prompt.ts';

export interface TranscriptDeps extends ConversationDeps, AttachmentDeps {}

/** The source of a transcript. */
export interface TranscriptParts {
  readonly prompt: Prompt;
  readonly files: NamedFiles;
}

/** The transcript of a call, rendered for each request that is made of it, once there is room for it in memory. */
export class TurnTranscript implements TranscriptReader {
  readonly #deps: TranscriptDeps;
  readonly #attempt: StepAttempt;
  readonly #parts: TranscriptParts;
  readonly #stop: AbortSignal;
  #permit: Permit | undefined;
  /** Why it could not be read, which is no failure of the provider. */
  failure: unknown;

  constructor(deps: TranscriptDeps, attempt: StepAttempt, parts: TranscriptParts, stop: AbortSignal) {
    this.#deps = deps;
    this.#attempt = attempt;
    this.#parts = parts;
    this.#stop = stop;
  }

  async read<T>(build: (transcript: RenderedTranscript) => T, sizeOf: (built: T) => number = () => 0): Promise<T> {
    this.release();
    const { prompt, files } = this.#parts;
    const { orgId } = this.#attempt.ref;
    try {
      const { result, permit } = await useConversation(
        this.#deps,
        this.#attempt,
        {
          bytesOfFiles: files.heapBytes,
          use: async (readHistory) => {
            const attachments = await readAttachments(this.#deps, orgId, files, this.#stop);
            return build(prompt.render(await readHistory(), attachments));
          },
          sizeOf,
        },
        this.#stop,
      );
      this.#permit = permit;
      return result;
    } catch (error) {
      if (!(error instanceof ProviderFailure)) this.failure = error;
      throw error;
    }
  }

  release(): void {
    this.#permit?.reduceTo(0);
  }
}

interface ConversationDeps {
  readonly database: Database;
  readonly memory: TurnMemory;
}

/** How a conversation is used. */
interface Use<T> {
  /** The memory that its files take, in addition. */
  readonly bytesOfFiles?: number;
  /** Reads the conversation last, and keeps nothing of it but what it returns. */
  readonly use: (read: () => Promise<TurnHistory>) => Promise<T>;
  /** The bytes that the result takes. */
  readonly sizeOf: (result: T) => number;
}

/**
 * Uses the whole conversation of a turn once there is room for it in memory; a long one is read again, and released
 * afterwards. Returns the result with the room that it takes, which the caller releases. Throws `Superseded` when
 * another attempt has begun, and the reason of `stop`.
 */
export async function useConversation<T>(
  { database, memory }: ConversationDeps,
  attempt: StepAttempt,
  { bytesOfFiles = 0, use, sizeOf }: Use<T>,
  stop: AbortSignal,
): Promise<{ readonly result: T; readonly permit: Permit | undefined }> {
  const { turn, ref } = attempt;
  const permit = await memory.take(turn, { payer: database.payers.known(ref.orgId), bytesOfFiles }, stop);
  try {
    const result = await use(async () => historyOf(database, attempt, stop));
    permit?.reduceTo(sizeOf(result));
    return { result, permit };
  } catch (error) {
    permit?.reduceTo(0);
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

/** A conversation of at most this size does not wait. */
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
      createError: () => new NoFreeSlot(),
    });
  }

  /**
   * Reserves memory for the conversation of a turn and for its files; `undefined` when it needs none. One that was
   * being read when a process ended waits for others of this kind: it may have been the reason.
   */
  async take(
    { history, unfinishedReads }: Pick<ClaimedTurn, 'history' | 'unfinishedReads'>,
    { payer, bytesOfFiles }: { readonly payer: Payer; readonly bytesOfFiles: number },
    stop: AbortSignal,
  ): Promise<Permit | undefined> {
    const weight = BYTES_OF_BYTE * history.bytes + bytesOfFiles;
    if (!history.isOutline && weight <= SMALL_BYTES) return undefined;
    if (unfinishedReads === 0) return this.#room.acquire(payer, { weight, signal: stop });
    return this.#room.acquire(SUSPECTS, { weight: Math.max(weight, this.#bytesOfPayer), signal: stop });
  }
}
