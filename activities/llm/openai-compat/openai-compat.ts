import { asCount, asList, asNumber, asObject, asText, greaterUsage, partOf } from '../transport/json.ts';
import type { EndReason, NativeCall } from '../model-adapter.ts';
import { ArgumentRoom, completeCalls, MAX_CALLS_KEPT, StreamedCall, toCallId } from '../native-calls.ts';
import { StateRoom } from '../reply-layout.ts';
import { TextBuffer } from '../../../domain/core/text.ts';
import type { TokenUsage } from '../../../domain/turns.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';
import { ReplyEnding } from '../failures/reply-ending.ts';
import { ReportedError } from '../failures/reported-error.ts';
import type { IsEnding, ReplyEnd, WireFormat, WireReader } from '../wire-format.ts';
import {
  MAX_REASONING_CHARACTERS,
  splitCompletion,
  toCompletionRequest,
  toCompletionState,
} from './completion-request.ts';

interface CallDelta {
  readonly index: string | undefined;
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
  readonly extra: unknown;
}

/**
 * The tool calls of a streamed completion. The published form is chunks with an index. Servers also omit index or id,
 * give every call the index 0, repeat names, ids and whole calls, or send all of a call at once.
 */
class StreamedCalls {
  readonly #room = new ArgumentRoom();
  readonly #extraRoom = new StateRoom();
  readonly #calls: StreamedCall[] = [];
  readonly #byIndex = new Map<string, StreamedCall>();
  readonly #extras = new Map<StreamedCall, unknown>();
  #latest: StreamedCall | undefined;

  /** Adds the `tool_calls` and the older `function_call` of a delta. */
  add(toolCalls: unknown, functionCall: unknown): void {
    const touched = new Set<StreamedCall>();
    for (const delta of asList(toolCalls)) this.#take(toDelta(delta), touched);
    if (functionCall != null) this.#take(toDelta({ function: functionCall }), touched);
  }

  get all(): readonly StreamedCall[] {
    return this.#calls;
  }

  /** Returns the calls of the reply once it has ended for this reason. */
  end(reason: EndReason | undefined): NativeCall[] {
    return completeCalls(this.#calls, reason);
  }

  /** The unpublished fields of each call, null for none. */
  get extras(): unknown[] {
    return this.#calls.filter(({ name }) => name !== '').map((call) => this.#extras.get(call) ?? null);
  }

  #take(delta: CallDelta, touched: Set<StreamedCall>): void {
    const found = this.#find(delta, touched);
    if (found !== undefined && isRepeat(found, delta)) return;
    const call = found === undefined || startsAnother(found, delta) ? this.#open(delta) : found;
    touched.add(call);
    this.#latest = call;
    if (call.id === '') call.id = delta.id;
    call.addName(delta.name);
    call.arguments.add(delta.arguments);
    if (delta.extra !== undefined) this.#keepExtra(call, delta.extra);
  }

  #keepExtra(call: StreamedCall, extra: unknown): void {
    if (this.#extraRoom.take(JSON.stringify(extra).length)) this.#extras.set(call, extra);
    else this.#extras.clear();
  }

  #find(delta: CallDelta, touched: ReadonlySet<StreamedCall>): StreamedCall | undefined {
    const { index, id, name } = delta;
    if (index !== undefined) return this.#byIndex.get(index) ?? this.#underOtherIndex(index, delta);
    const known = id === '' ? undefined : this.#calls.findLast((call) => call.id === id);
    if (known !== undefined) return known;
    const latest = this.#latest;
    // Calls side by side in one delta are different calls.
    if (name === '' || latest === undefined) return latest;
    return latest.name === name && !touched.has(latest) && !latest.arguments.isWhole ? latest : undefined;
  }

  // Some servers send the arguments, or a whole call again, under another index than the head of their call.
  #underOtherIndex(index: string, { id, name, arguments: args }: CallDelta): StreamedCall | undefined {
    const named = id === '' ? undefined : this.#calls.findLast((call) => call.id === id);
    const call = named ?? (id === '' || hasContent(args) ? this.#latest : undefined);
    if (call === undefined || call.name === '') return undefined;
    const isNamed = call === named && name === call.name;
    // A head alone that follows a whole call begins another one, even under the same id.
    const isSame = name === '' ? !call.arguments.isWhole : isNamed && (!call.arguments.isWhole || hasContent(args));
    if (!isSame) return undefined;
    this.#byIndex.set(index, call);
    return call;
  }

  #open({ index, id, name }: CallDelta): StreamedCall {
    const call = new StreamedCall(this.#room, id, name);
    // A surplus call is read, so that its chunks are not mistaken for another's, and dropped.
    if (this.#calls.length >= MAX_CALLS_KEPT) return call;
    this.#calls.push(call);
    if (index !== undefined) this.#byIndex.set(index, call);
    return call;
  }
}

function toDelta(value: unknown): CallDelta {
  const { index, id, function: called, extra_content: extra } = asObject(value);
  const { name, arguments: args } = asObject(called);
  return { index: toIndex(index), id: toCallId(id), name: asText(name), arguments: args, extra };
}

// Some servers write it as a text.
function toIndex(index: unknown): string | undefined {
  return asText(index) || asNumber(index)?.toString();
}

/** Returns whether a delta repeats a whole call, as some servers do at the end. */
function isRepeat(call: StreamedCall, { id, name, arguments: args }: CallDelta): boolean {
  const isSame = id !== '' && id === call.id && name === call.name;
  return isSame && call.arguments.isWhole && args === call.arguments.text;
}

/** Returns whether a delta begins another call under an index that is in use. */
function startsAnother(call: StreamedCall, { id, name, arguments: args }: CallDelta): boolean {
  if (name === '') return false;
  if (call.arguments.isWhole && (hasContent(args) || name !== call.name)) return true;
  const isOther = id !== '' && call.id !== '' && id !== call.id;
  return isOther && (name !== call.name || call.arguments.isWhole);
}

function hasContent(args: unknown): boolean {
  return typeof args === 'string' ? args.trim() !== '' : args != null;
}

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

  get isEnding(): IsEnding {
    const { isNear, mayBeEmpty } = this.#ending;
    return isNear || (mayBeEmpty && this.#usage !== undefined && 'perhaps');
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
