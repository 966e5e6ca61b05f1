import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../../db/core/database.ts';
import type { SecretBox } from '../../../db/core/secret-box.ts';
import type { TurnAccount } from '../../../db/providers/for-turn.ts';
import { touchAccount } from '../../../db/providers/account-condition.ts';
import type { ModelOutcome } from '../../../domain/turns.ts';
import { tracing } from '../../../domain/telemetry/tracing.ts';
import {
  type AccountUse,
  learnFromFailure,
  learnFromSuccess,
  type ModelCandidate,
  modelCandidates,
  type ModelChoice,
} from '../../llm/model-candidates.ts';
import type { ChosenModel } from '../../llm/model-of-account.ts';
import { ProviderFailure } from '../../llm/failures/provider-failure.ts';
import { type CallDeps, keyOf, ModelCall, type Respondent } from './model-call.ts';
import type { ReplyReader } from './reply-reader.ts';
import { endOfCall, measureCall, spanOfCall } from './trace-call.ts';
import type { StepAttempt } from './step-attempt.ts';
import type { TranscriptParts } from '../transcript/turn-transcript.ts';

/** The outcome of calling the models. */
export type AskOutcome =
  /** The model has completed its reply. */
  | { readonly kind: 'replied'; readonly reply: ReplyReader; readonly by: Respondent }
  /** It was stopped in the middle, or before anybody was asked. */
  | { readonly kind: 'stopped'; readonly by: Respondent | undefined }
  /** Every account that could answer rests until then. */
  | { readonly kind: 'wait'; readonly until: number; readonly why: string }
  | { readonly kind: 'failed'; readonly message: string; readonly by: Respondent | undefined };

export interface AskDeps extends CallDeps {
  readonly database: Database;
  readonly box: SecretBox;
  readonly accountUse: AccountUse;
}

/** Rounds through the candidates: a provider with a brief outage is called once more. */
const ROUNDS = 2;
const ROUND_PAUSE_MS = 400;

/**
 * Calls the models that the turn may use, one after the other, until one has replied. Never throws for a provider's
 * errors, nor when `stop` aborts; throws `Superseded` when another attempt has begun.
 */
export async function askModel(
  deps: AskDeps,
  attempt: StepAttempt,
  parts: TranscriptParts,
  stop: AbortSignal,
): Promise<AskOutcome> {
  return new FailoverCall(deps, attempt, parts, stop).ask();
}

/** One call with failover along a chain of models. */
class FailoverCall {
  readonly #deps: AskDeps;
  readonly #attempt: StepAttempt;
  readonly #parts: TranscriptParts;
  readonly #stop: AbortSignal;
  readonly #choice: ModelChoice;
  readonly #failures: ProviderFailure[] = [];
  // Not to be called again in this step.
  readonly #exhausted = new Set<ModelCandidate>();
  // The accounts whose failure in this step was noted, if it says anything about them.
  readonly #failed = new Set<string>();
  // Asked again with a shorter conversation.
  readonly #shortened = new Set<ModelCandidate>();
  #coolingUntil: number | null;
  #last: ModelCall | undefined;

  constructor(deps: AskDeps, attempt: StepAttempt, parts: TranscriptParts, stop: AbortSignal) {
    this.#deps = deps;
    this.#attempt = attempt;
    this.#parts = parts;
    this.#stop = stop;
    const { box, accountUse } = deps;
    this.#choice = modelCandidates({ box, accountUse, now: Date.now() }, attempt.turn);
    this.#coolingUntil = this.#choice.coolingUntil?.getTime() ?? null;
  }

  async ask(): Promise<AskOutcome> {
    for (let round = 1; round <= ROUNDS; round += 1) {
      const outcome = await this.#askEach();
      if (outcome !== undefined) return outcome;
      if (this.#choice.candidates.every((candidate) => this.#exhausted.has(candidate)) || round === ROUNDS) break;
      // Randomized, because many turns may have met the same outage.
      await sleep(ROUND_PAUSE_MS * (1 + Math.random()), undefined, { signal: this.#stop }).catch(() => undefined);
      if (this.#stop.aborted) return { kind: 'stopped', by: this.#last?.respondent('stopped') };
    }
    const why = this.#failureMessage();
    if (this.#coolingUntil !== null) return { kind: 'wait', until: this.#coolingUntil, why };
    return { kind: 'failed', message: why, by: this.#last?.respondent('failed') };
  }

  async #askEach(): Promise<AskOutcome | undefined> {
    let outStep: number | undefined;
    for (const candidate of this.#choice.candidates) {
      const isOut = this.#choice.hasSteps && candidate.stepIndex === outStep;
      if (isOut || this.#exhausted.has(candidate)) continue;
      const failure = await this.#askOne(candidate);
      if (failure === undefined) return this.#ended();
      this.#failures.push(failure);
      outStep = candidate.stepIndex;
      await this.#learn(candidate, failure);
    }
    return undefined;
  }

  // Returns why the candidate gave no reply; `undefined` when it did, or was stopped.
  async #askOne(candidate: ModelCandidate): Promise<ProviderFailure | undefined> {
    const startedAt = Date.now();
    let chosen: ChosenModel | undefined;
    let call: ModelCall | undefined;
    const note = (outcome: ModelOutcome, failure?: ProviderFailure) => {
      const end = {
        outcome,
        firstAt: call?.reader.firstAt,
        finishReason: call?.reader.finishReason,
        ...(failure && { failure }),
      };
      this.#attempt.tries.add(candidate, chosen, startedAt, end);
      if (call !== undefined) measureCall(this.#attempt, { ...end, startedAt, by: call.respondent(outcome) });
    };
    try {
      chosen = candidate.open();
      call = await this.#open(chosen, candidate);
      await this.#read(call);
      note('replied');
      this.#learnFromSuccess(candidate);
      return undefined;
    } catch (error) {
      if (this.#stop.aborted) {
        note('stopped');
        return undefined;
      }
      if (!(error instanceof ProviderFailure)) throw error;
      note('failed', error);
      return this.#adaptTo(error, candidate) ? this.#askOne(candidate) : error;
    }
  }

  async #read(call: ModelCall): Promise<void> {
    await tracing.within(spanOfCall(this.#attempt, call), async (span) => {
      try {
        await call.read(this.#stop);
      } catch (error) {
        span.fail(error instanceof ProviderFailure ? error.kind : 'stopped');
        throw error;
      } finally {
        span.set(endOfCall(call));
      }
    });
  }

  // Returns whether the prompt is rendered otherwise from now on, in a way that the candidate may accept.
  #adaptTo(failure: ProviderFailure, candidate: ModelCandidate): boolean {
    if (failure.kind === 'no_tools' && !this.#parts.prompt.isFenced) {
      this.#deps.withoutTools.set(keyOf(candidate.open()), true);
      return true;
    }
    // The oldest half is left out once; what is still too long then is mostly the newest question.
    if (!failure.isTooLong || this.#shortened.has(candidate)) return false;
    this.#shortened.add(candidate);
    this.#deps.smallerWindows.set(keyOf(candidate.open()), this.#parts.prompt.halfWindowTokens);
    return true;
  }

  async #open(chosen: ChosenModel, { accountId }: ModelCandidate): Promise<ModelCall> {
    // Text of another provider for this step is replaced.
    if (this.#attempt.text !== '') await this.#attempt.restart();
    if (accountId !== null) this.#noteUse(accountId);
    this.#last = new ModelCall(this.#deps, this.#attempt, this.#parts, chosen);
    return this.#last;
  }

  #noteUse(accountId: string): void {
    if (!this.#deps.accountUse.used(accountId)) return;
    // Nobody waits for it, and a failure does not affect the order of the next turns.
    void touchAccount(this.#deps.database, { orgId: this.#attempt.ref.orgId, accountId }).catch(() => undefined);
  }

  async #learn(candidate: ModelCandidate, failure: ProviderFailure): Promise<void> {
    const { account } = candidate;
    if (failure.kind !== 'outage') this.#exhaust(candidate, failure);
    if (account === null) return;
    this.#failed.add(account.id);
    const until = await learnFromFailure(this.#deps.database, account, failure);
    if (until !== null) this.#coolingUntil = Math.min(this.#coolingUntil ?? until, until);
  }

  #learnFromSuccess({ account }: ModelCandidate): void {
    if (account === null) return;
    const hasFailed = account.hasFailed || this.#failed.has(account.id);
    learnFromSuccess(this.#deps.database, { ...account, hasFailed });
  }

  // A chain may name a type in several steps: an account that cools down or is disabled is exhausted in all of them.
  #exhaust(candidate: ModelCandidate, { kind }: ProviderFailure): void {
    const isWhole = kind === 'busy' || kind === 'credentials';
    for (const each of this.#choice.candidates) {
      if (each === candidate || (isWhole && each.accountId === candidate.accountId)) this.#exhausted.add(each);
    }
  }

  #failureMessage(): string {
    if (this.#failures.length === 0)
      return this.#choice.blockedReason ?? restingWords(this.#attempt.turn.accounts.usable);
    return [...new Set(this.#failures.map(({ message }) => message))].join('; ');
  }

  #ended(): AskOutcome {
    // A reply that was complete before the stop is kept whole; its calls are then not run.
    if (this.#last?.reader.ending === undefined) return { kind: 'stopped', by: this.#last?.respondent('stopped') };
    return { kind: 'replied', reply: this.#last.reader, by: this.#last.respondent('replied') };
  }
}

function restingWords(accounts: readonly TurnAccount[]): string {
  const resting = accounts.flatMap(({ name, cooldownUntil: until }) =>
    until === null || until.getTime() < Date.now() ? [] : [`${name} until ${until.toISOString()}`],
  );
  return `Every provider account that could answer is too busy and cools down: ${resting.join(', ')}`;
}
