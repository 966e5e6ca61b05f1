import type { LRUCache } from 'lru-cache';
import { modelFacts } from '../../../builtin/index.ts';
import { isCliProvider } from '../../../domain/providers/credential-forms.ts';
import type { StepUsage } from '../../../db/turns/steps/step.ts';
import { costOf, type FindPrice } from '../../../domain/prices.ts';
import { estimateTokens } from '../../../domain/transcripts/model-message.ts';
import type { ChosenModel } from '../../llm/model-of-account.ts';
import type { FindAdapter } from '../../llm/adapters.ts';
import { ProviderFailure } from '../../llm/failures/provider-failure.ts';
import { type TranscriptDeps, type TranscriptParts, TurnTranscript } from '../transcript/turn-transcript.ts';
import { ReplyReader } from './reply-reader.ts';
import type { StepAttempt } from './step-attempt.ts';

/** The model that replied, and its usage; a call that failed before it returned anything cost nothing. */
export interface Respondent {
  readonly chosen: ChosenModel;
  readonly usage: StepUsage | undefined;
  /** Absent for the program of a vendor, which keeps its own conversation and reports the sum of several calls. */
  readonly context: ContextUse | undefined;
}

/** How much of a model's context window a call took. */
export interface ContextUse {
  /** The tokens that the call read and wrote; null when it was not answered. */
  readonly tokens: number | null;
  /** The window that its prompt was made for, in tokens; null when none is known of the model. */
  readonly window: number | null;
}

export interface CallDeps extends TranscriptDeps {
  readonly findAdapter: FindAdapter;
  readonly findPrice: FindPrice;
  /** The models that last turned out not to take tools natively. */
  readonly withoutTools: LRUCache<string, true>;
  /** The windows, in tokens, of models that turned out to accept less than is known of them. */
  readonly smallerWindows: LRUCache<string, number>;
}

/** A window that nearly every recent model has, for models without a known one. */
const DEFAULT_WINDOW_TOKENS = 96_000;

/** One call of one model for a step, and what it has said so far. */
export class ModelCall {
  readonly chosen: ChosenModel;
  readonly reader: ReplyReader;
  readonly #deps: CallDeps;
  readonly #attempt: StepAttempt;
  readonly #parts: TranscriptParts;
  readonly #window: number | null;

  constructor(deps: CallDeps, attempt: StepAttempt, parts: TranscriptParts, chosen: ChosenModel) {
    this.#deps = deps;
    this.#attempt = attempt;
    this.#parts = parts;
    this.chosen = chosen;
    const facts = modelFacts(chosen.model, chosen.account.providerType);
    // Its vendor's program takes a text, and has neither our tools nor our fences.
    const isCli = isCliProvider(chosen.streamType);
    const smaller = deps.smallerWindows.get(keyOf(chosen)) ?? Infinity;
    this.#window = facts.contextWindow === undefined ? null : Math.min(facts.contextWindow, smaller);
    parts.prompt.aimAt({
      windowTokens: Math.min(facts.contextWindow ?? DEFAULT_WINDOW_TOKENS, smaller),
      takesTools: !isCli && facts.takesTools !== false && !deps.withoutTools.has(keyOf(chosen)),
      takesImages: !isCli && facts.takesImages === true,
      offersTools: !isCli,
    });
    this.reader = new ReplyReader(attempt, parts.prompt.takenFences);
  }

  /** Reads the whole reply; throws `ProviderFailure` when it is missing or unusable. */
  async read(stop: AbortSignal): Promise<void> {
    const { account, model } = this.chosen;
    const { temperature, maxTokens } = this.#attempt.turn.agent;
    const transcript = new TurnTranscript(this.#deps, this.#attempt, this.#parts, stop);
    const request = { account, model, temperature, maxTokens, transcript };
    try {
      await this.reader.read(this.#deps.findAdapter(this.chosen)(request, stop));
    } catch (error) {
      throw transcript.failure ?? error;
    } finally {
      transcript.release();
    }
    const failure = replyFailure(this.#attempt, this.reader, this.chosen);
    if (failure !== undefined) throw failure;
  }

  /** Returns the model with its usage, which is estimated where the provider reported none, and its current price. */
  respondent(kind: 'replied' | 'stopped' | 'failed'): Respondent {
    const { chosen, reader } = this;
    const hasCost = kind !== 'failed' || reader.usage !== undefined || reader.rawText !== '';
    if (!hasCost) return { chosen, usage: undefined, context: this.#contextUse(null) };
    const usage = reader.usage ?? {
      inputTokens: this.#parts.prompt.estimatedTokens,
      outputTokens: estimateTokens(reader.rawText),
      estimated: true,
    };
    const { id: providerAccountId, providerType } = chosen.account;
    const cost = costOf(usage, this.#deps.findPrice(providerType, chosen.model));
    return {
      chosen,
      usage: { ...usage, model: chosen.model, providerType, providerAccountId, cost },
      context: this.#contextUse(usage.inputTokens + usage.outputTokens),
    };
  }

  #contextUse(tokens: number | null): ContextUse | undefined {
    return isCliProvider(this.chosen.streamType) ? undefined : { tokens, window: this.#window };
  }
}

/** Names a model of an account in `withoutTools`. */
export function keyOf({ account, model }: ChosenModel): string {
  return `${account.id ?? ''} ${model}`;
}

/** Returns why a complete reply is unusable; undefined when it is usable. */
function replyFailure(
  attempt: StepAttempt,
  reader: ReplyReader,
  { account }: ChosenModel,
): ProviderFailure | undefined {
  const { reason, word } = reader.ending ?? {};
  if (reason === 'content_filter')
    return new ProviderFailure(`${account.name} withheld the reply: its content filter stopped it`);
  if (attempt.answer !== '' || reader.calls.length > 0) return undefined;
  if (reason === 'length')
    return new ProviderFailure(
      `${account.name} used up its token limit before it wrote anything; raise the agent's max_tokens`,
    );
  const why = word === undefined ? '' : `, which ended with "${word}"`;
  return new ProviderFailure(`${account.name} sent an empty reply${why}`);
}
