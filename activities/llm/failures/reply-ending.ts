import { toStorableText } from '../../../domain/core/text.ts';
import type { Ending, EndReason } from '../model-adapter.ts';
import type { StreamedCall } from '../native-calls.ts';
import { ProviderFailure } from './provider-failure.ts';

/** Collects what a streamed reply reports about its end. */
export class ReplyEnding {
  #ending: Ending | undefined;
  #hasContent = false;
  #hasContentAfterReason = false;
  #hasUsageOfAll = false;

  /** How the reply ends; undefined until it has said so. */
  get ending(): Ending | undefined {
    return this.#ending;
  }

  /** Whether text or a call has come. */
  get hasContent(): boolean {
    return this.#hasContent;
  }

  /**
   * Whether only the usage can still follow. Some servers send a reason with chunks before the content, or with each
   * chunk of it: theirs does not say when the reply ends.
   */
  get isNear(): boolean {
    const hasCome = this.#hasContent || this.#hasUsageOfAll;
    return this.#ending !== undefined && hasCome && !this.#hasContentAfterReason;
  }

  /** Whether the reply may have ended without content: some servers give a reason before any has come. */
  get mayBeEmpty(): boolean {
    return this.#ending !== undefined && !this.#hasContent;
  }

  /** Records that text or a part of a call has come. Called before the reason of the same chunk. */
  sawContent(): void {
    this.#hasContent = true;
    this.#hasContentAfterReason ||= this.#ending !== undefined;
  }

  /** Records that the usage of the whole reply has come, which ends a reply without content too. */
  sawUsageOfAll(): void {
    this.#hasUsageOfAll = true;
  }

  /**
   * Reads the provider's reason for the end of the reply; returns whether it is one. Throws for a reason that means
   * that the reply was cut off.
   */
  takeReason(said: unknown): boolean {
    const ending = toEnding(said);
    this.#ending = ending ?? this.#ending;
    return ending !== undefined;
  }

  /** Handles an end mark, which needs no reason. It ends no reply whose last call is cut off. */
  takeMark(calls: readonly StreamedCall[]): void {
    if (calls.every((call) => call.arguments.isFinished)) this.#ending ??= { reason: 'done' };
  }
}

const MAX_WORD_CHARACTERS = 100;

/**
 * The words with which the providers of the catalog say why a reply ends, in lower case and with underscores: those of
 * OpenAI's form and of the servers that speak it, of Anthropic, Google and Amazon.
 */
const WORDS: Readonly<Record<Exclude<EndReason, 'other'>, string>> = {
  done: `stop tool_calls function_call function_calls tool_call tool_use end_turn stop_sequence
    eos eos_token end complete completed finished`,
  length: `length max_tokens max_output_tokens max_completion_tokens max_new_tokens max_length model_length
    context_length model_context_window_exceeded context_length_exceeded`,
  content_filter: `content_filter content_filtered guardrail_intervened refusal sensitive safety recitation blocklist
    prohibited_content spii language model_armor image_safety image_prohibited_content image_recitation`,
};

const REASONS = new Map(
  Object.entries(WORDS).flatMap(([reason, words]) => words.split(/\s+/).map((word) => [word, reason as EndReason])),
);

/** Words for a call, and for what is wrong with one that the provider cannot read. */
const CALL = /(?:function|tool)_(?:call|use)|thought_signature/;
const MALFORMED = /malformed|invalid|unexpected|too_many|missing/;

/** Those that say nothing. */
const EMPTY: ReadonlySet<string> = new Set(['', 'null', 'none', 'finish_reason_unspecified']);

/** Words of providers that gave up, such as DeepSeek, Z.AI, OpenRouter and vLLM, and what reads like them. */
const GAVE_UP = /error|fail|abort|cancel|interrupt|overload|insufficient|unavailable|time_?out|malformed/;

/** Those that say nothing more. */
const UNSPECIFIC: ReadonlySet<string> = new Set(['error', 'other']);

/**
 * Returns how a reply ends by its provider's word; undefined for a word that says nothing. Throws for one that says
 * that the provider has broken it off. A word that nobody knows ends the reply, and is kept as it is.
 */
export function toEnding(said: unknown): Ending | undefined {
  if (typeof said !== 'string') return undefined;
  const word = toStorableText(said.slice(0, MAX_WORD_CHARACTERS));
  const known = word
    .trim()
    .replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, '_')
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
  if (EMPTY.has(known)) return undefined;
  const reason = REASONS.get(known);
  if (reason !== undefined) return { reason };
  if (CALL.test(known) && MALFORMED.test(known)) throw brokenOff(`its tool call is malformed (${word})`);
  if (UNSPECIFIC.has(known)) throw brokenOff('of an internal error');
  if (GAVE_UP.test(known)) throw brokenOff(`of an internal error (${word})`);
  return { reason: 'other', word };
}

function brokenOff(why: string): ProviderFailure {
  return new ProviderFailure(`broke off its reply because ${why}`, { kind: 'outage' });
}
