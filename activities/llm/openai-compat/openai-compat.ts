import { TextBuffer } from '../../../domain/core/text.ts';
import type { TokenUsage } from '../../../domain/turns.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';
import { ReplyEnding } from '../failures/reply-ending.ts';
import { ReportedError } from '../failures/reported-error.ts';
import { asCount, asList, asNumber, asObject, asText, greaterUsage, partOf } from '../transport/json.ts';
import type { ReplyEnd, WireFormat, WireReader } from '../wire-format.ts';
import {
  MAX_REASONING_CHARACTERS,
  splitCompletion,
  toCompletionRequest,
  toCompletionState,
} from './completion-request.ts';
import { StreamedCalls } from './streamed-calls.ts';

/**
 * Chat completions as OpenAI publishes them (API reference, "Create chat completion", streamed) and forty other
 * providers serve them.
 */
export const openaiCompat: WireFormat = {
  answerName: 'chat completion',
  tools: { maxDescription: 1_024 },
  toHttp: toCompletionRequest,
  createReader: ({ model }) => new CompletionReader(model),
  splitWhole: splitCompletion,
};

/** Reads the chunks of a chat completion. */
class CompletionReader implements WireReader {
  readonly isOver = false;
  readonly #model: string;
  readonly #calls = new StreamedCalls();
  readonly #ending = new ReplyEnding();
  #usage: TokenUsage | undefined;
  readonly #reasoning = new TextBuffer();

  constructor(model: string) {
    this.#model = model;
  }

  get isEnding(): boolean {
    return this.#ending.isNear;
  }

  read(chunk: unknown): string {
    const { choices, usage } = asObject(chunk);
    this.#usage = greaterUsage(this.#usage, toUsage(usage));
    const choice = firstChoice(choices);
    if (choice === undefined) {
      if (usage != null) this.#ending.sawUsageOfAll();
      return '';
    }
    const { delta, finish_reason: reason, error } = choice;
    if (error != null) throw new ReportedError(error);
    const { tool_calls: calls, function_call: call, reasoning_content: reasoning } = asObject(delta);
    if (calls != null || call != null) this.#calls.add(calls, call);
    const room = MAX_REASONING_CHARACTERS + 1 - this.#reasoning.length;
    if (room > 0) this.#reasoning.add(asText(reasoning).slice(0, room));
    const text = textOf(delta);
    if (text !== '' || asList(calls).length > 0 || call != null) this.#ending.sawContent();
    this.#ending.takeReason(reason);
    return text;
  }

  // Some servers end with the mark alone. After nothing at all it ends no reply.
  takeEndMark(): void {
    if (this.#ending.hasContent) this.#ending.takeMark(this.#calls.all);
  }

  end(): ReplyEnd {
    const { ending } = this.#ending;
    const calls = this.#calls.end(ending?.reason);
    const state = { model: this.#model, reasoning: this.#reasoning.text, extras: this.#calls.extras };
    return {
      ending,
      calls,
      usage: this.#usage,
      state: calls.length > 0 ? toCompletionState(state) : undefined,
    };
  }
}

// Servers send what the published form does not allow: no choices, or further choices that nobody asked for.
function firstChoice(choices: unknown): Readonly<Record<string, unknown>> | undefined {
  for (const choice of asList(choices)) {
    if (typeof choice !== 'object' || choice === null) {
      throw new ProviderFailure('sent something that is not a streamed chat completion', { kind: 'outage' });
    }
    if (asNumber(asObject(choice)['index'] ?? 0) === 0) return asObject(choice);
  }
  return undefined;
}

/**
 * Returns the text of a delta. Mistral sends content in parts with thinking, OpenAI a refusal in a field of its own.
 */
function textOf(delta: unknown): string {
  const { content, refusal } = asObject(delta);
  if (typeof content === 'string' && content !== '') return content;
  if (Array.isArray(content)) return content.map(partText).join('');
  return asText(refusal);
}

function partText(part: unknown): string {
  const { type, text } = asObject(part);
  return type === 'text' ? asText(text) : '';
}

function toUsage(usage: unknown): TokenUsage | undefined {
  const fields = asObject(usage);
  const { prompt_tokens: prompt, completion_tokens: completion } = fields;
  const inputTokens = asCount(prompt);
  const outputTokens = asCount(completion);
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  // DeepSeek has a field of its own for what was in the cache.
  const cached = asCount(
    asObject(fields['prompt_tokens_details'])['cached_tokens'] ?? fields['prompt_cache_hit_tokens'],
  );
  const reasoning = asCount(asObject(fields['completion_tokens_details'])['reasoning_tokens']);
  return {
    inputTokens,
    outputTokens,
    estimated: false,
    ...partOf('cachedInputTokens', cached),
    ...partOf('reasoningTokens', reasoning),
  };
}
