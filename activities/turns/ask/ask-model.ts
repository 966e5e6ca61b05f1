import { setTimeout as sleep } from 'node:timers/promises';
import { modelFacts } from '../../../builtin/index.ts';
import type { Database, SecretBox } from '../../../db/core/index.ts';
import { coolDownAccount, disableAccount, type TurnAccount, touchAccount } from '../../../db/providers/index.ts';
import type { StepUsage } from '../../../db/turns/index.ts';
import { cooldownEnd } from '../../../domain/provider-chains/index.ts';
import { estimateTokens } from '../../../domain/transcripts/index.ts';
import {
  type AccountUse,
  type ChosenModel,
  type FindAdapter,
  type ModelCandidate,
  modelCandidates,
  type ModelChoice,
  ProviderFailure,
} from '../../llm/index.ts';
import type { Prompt } from './prompt.ts';
import { ReplyReader } from './reply-reader.ts';
import type { StepAttempt } from './step-attempt.ts';

/** The outcome of calling the models. */
export type AskOutcome =
  /** The model has completed its reply. */
  | { readonly kind: 'replied'; readonly reply: ReplyReader; readonly by: Respondent }
  /** It was stopped in the middle, or before anybody was asked. */
  | { readonly kind: 'stopped'; readonly by: Respondent | undefined }
  /** Every account that could answer rests until then. */
  | { readonly kind: 'wait'; readonly until: number; readonly why: string }
  | { readonly kind: 'failed'; readonly message: string; readonly by: Respondent | undefined };

/** The model that replied, and its usage; a call that failed before it returned anything cost nothing. */
export interface Respondent {
  readonly chosen: ChosenModel;
  readonly usage: StepUsage | undefined;
}

export interface AskDeps {
  readonly database: Database;
  readonly box: SecretBox;
  readonly findAdapter: FindAdapter;
  readonly accountUse: AccountUse;
  /** Models that turned out not to take tools natively. */
  readonly withoutTools: Set<string>;
}

/** Rounds through the candidates: a provider with a brief outage is called once more. */
const ROUNDS = 2;
const ROUND_PAUSE_MS = 400;
/** A window that nearly every recent model has, for models without a known one. */
const DEFAULT_WINDOW_TOKENS = 96_000;

/**
 * Calls the models that the turn may use, one after the other, until one has replied. Never throws for a provider's
 * errors, nor when `stop` aborts; throws `Superseded` when another attempt has begun meanwhile.
 */
export async function askModel(
  deps: AskDeps,
  attempt: StepAttempt,
  prompt: Prompt,
  stop: AbortSignal,
): Promise<AskOutcome> {
  return new FailoverCall(deps, attempt, prompt, stop).ask();
}

/** One call with failover along a chain of models. */
class FailoverCall {
  readonly #deps: AskDeps;
  readonly #attempt: StepAttempt;
  readonly #prompt: Prompt;
  readonly #stop: AbortSignal;
  readonly #choice: ModelChoice;
  readonly #failures: ProviderFailure[] = [];
  // Not to be called again in this step.
  readonly #exhausted = new Set<ModelCandidate>();
  #coolingUntil: number | null;
  #lastReader: ReplyReader | undefined;
  #lastChosen: ChosenModel | undefined;

  constructor(deps: AskDeps, attempt: StepAttempt, prompt: Prompt, stop: AbortSignal) {
    this.#deps = deps;
    this.#attempt = attempt;
    this.#prompt = prompt;
    this.#stop = stop;
    const { box, accountUse: uses } = deps;
    this.#choice = modelCandidates({ box, uses, now: Date.now() }, attempt.turn);
    this.#coolingUntil = this.#choice.coolingUntil?.getTime() ?? null;
  }

  async ask(): Promise<AskOutcome> {
    for (let round = 1; round <= ROUNDS; round += 1) {
      const outcome = await this.#askEach();
      if (outcome !== undefined) return outcome;
      if (this.#choice.candidates.every((candidate) => this.#exhausted.has(candidate)) || round === ROUNDS) break;
      // Randomized, because many turns may have met the same outage.
      await sleep(ROUND_PAUSE_MS * (1 + Math.random()), undefined, { signal: this.#stop }).catch(() => undefined);
      if (this.#stop.aborted) return { kind: 'stopped', by: this.#respondent('stopped') };
    }
    const why = this.#failureMessage();
    if (this.#coolingUntil !== null) return { kind: 'wait', until: this.#coolingUntil, why };
    return { kind: 'failed', message: why, by: this.#respondent('failed') };
  }

  async #askEach(): Promise<AskOutcome | undefined> {
    let outStep: number | undefined;
    for (const candidate of this.#choice.candidates) {
      const isOut = this.#attempt.turn.chain !== null && candidate.stepIndex === outStep;
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
    try {
      const chosen = candidate.open();
      await this.#read(chosen, candidate);
      return undefined;
    } catch (error) {
      if (this.#stop.aborted) return undefined;
      if (!(error instanceof ProviderFailure)) throw error;
      if (error.kind !== 'no_tools' || this.#prompt.isFenced) return error;
      this.#deps.withoutTools.add(keyOf(candidate.open()));
      return this.#askOne(candidate);
    }
  }

  async #read(chosen: ChosenModel, { accountId }: ModelCandidate): Promise<void> {
    const { agent } = this.#attempt.turn;
    // Text of another provider for this step is replaced.
    if (this.#attempt.text !== '') await this.#attempt.restart();
    if (accountId !== null) this.#noteUse(accountId);
    const { account, model } = chosen;
    const { temperature, maxTokens } = agent;
    const facts = modelFacts(model, account.providerType);
    const rendered = this.#prompt.render({
      windowTokens: facts.contextWindow ?? DEFAULT_WINDOW_TOKENS,
      takesTools: facts.takesTools !== false && !this.#deps.withoutTools.has(keyOf(chosen)),
    });
    const reader = new ReplyReader(this.#attempt, this.#prompt.takenFences);
    this.#lastReader = reader;
    this.#lastChosen = chosen;
    const request = { account, model, ...rendered, temperature, maxTokens };
    await reader.read(this.#deps.findAdapter(chosen)(request, this.#stop));
    const failure = replyFailure(this.#attempt, reader, chosen);
    if (failure !== undefined) throw failure;
  }

  #noteUse(accountId: string): void {
    if (!this.#deps.accountUse.used(accountId)) return;
    // Nobody waits for it, and a failure does not affect the order of the next turns.
    void touchAccount(this.#deps.database, { orgId: this.#attempt.ref.orgId, accountId }).catch(() => undefined);
  }

  async #learn(candidate: ModelCandidate, failure: ProviderFailure): Promise<void> {
    const { database } = this.#deps;
    const { orgId } = this.#attempt.ref;
    const { account } = candidate;
    if (failure.kind !== 'outage') this.#exhaust(candidate, failure);
    if (account === null) return;
    const accountId = account.id;
    const { message: reason, retryAfterMs } = failure;
    const { credentials, cooldownSeconds } = account;
    if (failure.kind === 'credentials') await disableAccount(database, { orgId, accountId, credentials, reason });
    if (failure.kind !== 'busy') return;
    const until = cooldownEnd({ now: Date.now(), cooldownSeconds, retryAfterMs });
    this.#coolingUntil = Math.min(this.#coolingUntil ?? until, until);
    await coolDownAccount(database, { orgId, accountId, untilMs: until });
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
    const reply = this.#lastReader;
    const by = this.#respondent('replied');
    // A reply that was complete before the stop is kept whole; its calls are then not run.
    if (reply?.endReason === undefined || by === undefined) return { kind: 'stopped', by: this.#respondent('stopped') };
    return { kind: 'replied', reply, by };
  }

  #respondent(kind: 'replied' | 'stopped' | 'failed'): Respondent | undefined {
    const reader = this.#lastReader;
    const chosen = this.#lastChosen;
    if (reader === undefined || chosen === undefined) return undefined;
    const hasCost = kind !== 'failed' || reader.usage !== undefined || reader.rawText !== '';
    if (!hasCost) return { chosen, usage: undefined };
    const usage = reader.usage ?? {
      inputTokens: this.#prompt.estimatedTokens,
      outputTokens: estimateTokens(reader.rawText),
      estimated: true,
    };
    return { chosen, usage: { ...usage, model: chosen.model, providerAccountId: chosen.account.id } };
  }
}

function restingWords(accounts: readonly TurnAccount[]): string {
  const resting = accounts.flatMap(({ name, cooldownUntil: until }) =>
    until === null || until.getTime() < Date.now() ? [] : [`${name} until ${until.toISOString()}`],
  );
  return `Every provider account that could answer is too busy and cools down: ${resting.join(', ')}`;
}

function keyOf({ account, model }: ChosenModel): string {
  return `${account.id ?? ''} ${model}`;
}

/** Returns why a complete reply is unusable; undefined when it is usable. */
function replyFailure(
  attempt: StepAttempt,
  reader: ReplyReader,
  { account }: ChosenModel,
): ProviderFailure | undefined {
  const { endReason: reason } = reader;
  if (reason === 'content_filter')
    return new ProviderFailure(`${account.name} withheld the reply: its content filter stopped it`);
  if (attempt.answer !== '' || reader.calls.length > 0) return undefined;
  if (reason === 'length')
    return new ProviderFailure(
      `${account.name} used up its token limit before it wrote anything; raise the agent's max_tokens`,
    );
  return new ProviderFailure(`${account.name} sent an empty reply`);
}
