import type { AttemptTries, ModelOutcome, ModelTry } from '../../../domain/turns/index.ts';
import type { ChosenModel, ModelCandidate, ProviderFailure } from '../../llm/index.ts';

/** The calls that are kept of one attempt: the first ones and the last ones. */
const MAX_KEPT = 8;

/** The length kept of names and of reasons, in characters. */
const MAX_NAME_CHARACTERS = 100;
const MAX_REASON_CHARACTERS = 300;

/** What a call of a model has come to. */
interface TryEnd {
  readonly outcome: ModelOutcome;
  readonly failure?: ProviderFailure;
  readonly finishReason?: string | undefined;
  /** Milliseconds since 1970; undefined when nothing came. */
  readonly firstAt: number | undefined;
}

/** Collects the model calls of one attempt at a step, bounded in number and size. */
export class ModelTries {
  readonly #tries: ModelTry[] = [];
  #leftOut = 0;

  /** Notes a call that has ended. `chosen` is absent when the account could not be called. */
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
