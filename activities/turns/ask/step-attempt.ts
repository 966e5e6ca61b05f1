import type { Database } from '../../../db/core/database.ts';
import { readPublishedText } from '../../../db/stream/read-turn-events.ts';
import type { TurnPublisher, TurnStream } from '../../../db/stream/turn-publisher.ts';
import type { ClaimedTurn } from '../../../db/turns/claim/claimed-turn.ts';
import { restartStep } from '../../../db/turns/steps/store-wait.ts';
import type { StepRef } from '../../../db/turns/steps/step.ts';
import { TextBuffer } from '../../../domain/core/text.ts';
import {
  type AttemptTries,
  joinAnswer,
  type ModelOutcome,
  type ModelTry,
  separatorAfter,
} from '../../../domain/turns.ts';
import type { ChosenModel } from '../../llm/model-of-account.ts';
import type { ModelCandidate } from '../../llm/model-candidates.ts';
import type { ProviderFailure } from '../../llm/failures/provider-failure.ts';

/** Another attempt at the turn has begun, and this one must stop. */
export class Superseded extends Error {
  override readonly name = 'Superseded';
}

interface AttemptDeps {
  readonly database: Database;
  readonly publisher: TurnPublisher;
}

/** One attempt at a step of a turn: the reference that fences what it stores, and the text that viewers see of it. */
export class StepAttempt {
  readonly turn: ClaimedTurn;
  readonly chatId: string;
  /** The model calls that it has made. */
  readonly tries = new ModelTries();
  /** When the message of the turn was stored, by the clock of this process, in milliseconds since 1970. */
  readonly acceptedAt: number;
  readonly #deps: AttemptDeps;
  readonly #orgId: string;
  readonly #base: string;
  #attempt: number;
  #stream: TurnStream | undefined;
  #text = new TextBuffer();

  constructor(deps: AttemptDeps, { orgId, chatId }: { orgId: string; chatId: string }, turn: ClaimedTurn) {
    this.#deps = deps;
    this.#orgId = orgId;
    this.chatId = chatId;
    this.turn = turn;
    this.acceptedAt = Date.now() - turn.ageMs;
    this.#attempt = turn.attempt;
    this.#base = joinAnswer(turn.history.turns.at(-1)?.steps.map(({ text }) => text) ?? []);
  }

  get ref(): StepRef {
    return { orgId: this.#orgId, turnId: this.turn.id, attempt: this.#attempt, step: this.turn.step };
  }

  /** The text that this step has shown. */
  get text(): string {
    return this.#text.text;
  }

  /** The answer of the whole turn so far. */
  get answer(): string {
    return joinAnswer([this.#base, this.#text.text]);
  }

  /** Shows more of the answer. */
  show(addition: string): void {
    if (addition === '') return;
    const separator = this.#text.length === 0 ? separatorAfter(this.#base) : '';
    this.#text.add(addition);
    this.#open().append(separator + addition);
  }

  /** Adopts the text that a former attempt has shown, as far as it is known. */
  async adopt(): Promise<void> {
    const { text } = await readPublishedText(this.#deps.database, this.#orgId, this.turn.id);
    const said = separatorAfter(this.#base);
    if (text.startsWith(this.#base + said)) this.#text.add(text.slice(this.#base.length + said.length));
  }

  /** Restarts the step's text; throws `Superseded` when another attempt has begun. */
  async restart(): Promise<void> {
    const attempt = await restartStep(this.#deps.database, this.ref);
    if (attempt === undefined) throw new Superseded();
    this.#attempt = attempt;
    this.#stream = undefined;
    this.#text = new TextBuffer();
  }

  /** Announces that the rows contain the turn's outcome. */
  end(): void {
    this.#open().end();
  }

  #open(): TurnStream {
    this.#stream ??= this.#deps.publisher.open({
      orgId: this.#orgId,
      chatId: this.chatId,
      id: this.turn.id,
      seq: this.turn.seq,
      afterSeq: this.turn.afterSeq,
      attempt: this.#attempt,
      step: this.turn.step,
      baseLength: this.#base.length,
    });
    return this.#stream;
  }
}

/** The calls that are kept of one attempt: the first ones and the last ones. */
const MAX_KEPT = 8;

/** The length kept of names and of reasons, in characters. */
const MAX_NAME_CHARACTERS = 100;
const MAX_REASON_CHARACTERS = 300;

/** The result of a model call. */
interface TryEnd {
  readonly outcome: ModelOutcome;
  readonly failure?: ProviderFailure;
  readonly finishReason?: string | undefined;
  /** Milliseconds since 1970; undefined when nothing came. */
  readonly firstAt: number | undefined;
}

/** Collects the model calls of one attempt at a step, bounded in number and size. */
class ModelTries {
  readonly #tries: ModelTry[] = [];
  #leftOut = 0;

  /** Records a call that has ended. `chosen` is absent when the account could not be called. */
  add(candidate: ModelCandidate, chosen: ChosenModel | undefined, startedAt: number, end: TryEnd): void {
    this.#tries.push(tryOf(candidate, chosen, startedAt, end));
    if (this.#tries.length <= MAX_KEPT) return;
    this.#tries.splice(MAX_KEPT / 2, 1);
    this.#leftOut += 1;
  }

  /** Returns the calls so far, as they are stored. */
  record(): AttemptTries {
    return { tries: [...this.#tries], ...(this.#leftOut > 0 && { triesLeftOut: this.#leftOut }) };
  }
}

function tryOf(
  { account: stored, accountId }: ModelCandidate,
  chosen: ChosenModel | undefined,
  startedAt: number,
  { outcome, failure, finishReason, firstAt }: TryEnd,
): ModelTry {
  const account = chosen?.account ?? stored;
  return {
    account: (account?.name ?? '').slice(0, MAX_NAME_CHARACTERS),
    accountId,
    providerType: account?.providerType ?? null,
    model: chosen?.model.slice(0, MAX_NAME_CHARACTERS) ?? null,
    startedAt: new Date(startedAt).toISOString(),
    firstTokenAt: firstAt === undefined ? null : new Date(firstAt).toISOString(),
    endedAt: new Date().toISOString(),
    outcome,
    ...(failure && { failure: failure.kind, reason: failure.message.slice(0, MAX_REASON_CHARACTERS) }),
    ...(finishReason !== undefined && { finishReason }),
  };
}
