import { TOOL_DESCRIBE } from '../../domain/tool-offer/split-offer.ts';
import type {
  ModelImage,
  ModelMessage,
  ModelToolCall,
  ToolDefinition,
} from '../../domain/transcripts/model-message.ts';
import { toWireName } from '../../domain/transcripts/render-turn.ts';
import type { TokenUsage } from '../../domain/turns.ts';
import {
  type AlternatingMessage,
  type AssistantMessage,
  fill,
  type FilledPart,
  layoutOf,
  type LayoutPart,
  shownText,
  StateRoom,
  toAlternating,
  toStateOfCalls,
} from './reply-layout.ts';
import { ReplyEnding } from './failures/reply-ending.ts';
import type { ModelRequest } from './model-adapter.ts';
import { ArgumentRoom, completeCalls, StreamedCall, toCallId } from './native-calls.ts';
import { BlockList } from './transport/block-list.ts';
import { endpoint, withVersion } from './transport/expect-answer.ts';
import { asCount, asList, asObject, asText, partOf } from './transport/json.ts';
import type { ModelQuirks, ProviderRequest, ReplyEnd, WireFormat, WireReader } from './wire-format.ts';

const API_VERSION = '2023-06-01';

// Agents may have up to 2, which other providers take.
const MAX_TEMPERATURE = 1;

/** Marks the end of the part that the provider should cache. */
const CACHE_HERE = { cache_control: { type: 'ephemeral' } } as const;

/** The catalog's word for this wire format. */
const ANTHROPIC = 'anthropic';

/** The Messages API as Anthropic publishes it (API reference, "Create a Message", streamed). */
export const anthropic: WireFormat = {
  answerName: 'message',
  tools: { maxDescription: 10_000 },
  toHttp: toMessageRequest,
  createReader: ({ model }) => new MessageReader(model),
  splitWhole: (answer) => {
    const { type, content, stop_reason: reason, usage } = asObject(answer);
    if (type !== 'message') return undefined;
    const blocks = asList(content).map((block, index) => ({
      type: 'content_block_start',
      index,
      content_block: block,
    }));
    const message = { type: 'message_delta', delta: { stop_reason: reason }, usage };
    return [...blocks, message, { type: 'message_stop' }];
  },
};

/** Builds the request for a streamed message. */
function toMessageRequest(request: ModelRequest, quirks: ModelQuirks): ProviderRequest {
  const { baseUrl = '', apiKey } = request.account;
  return {
    url: endpoint(withVersion(baseUrl, 'v1'), '/messages'),
    headers: { 'anthropic-version': API_VERSION, ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }) },
    body: toParams(request, quirks),
  };
}

// The provider caches everything before a mark: tools and system prompt, then the conversation so far. Where the offer
// grows with the conversation, the tools that every step has are a part of their own.
function toParams(request: ModelRequest, quirks: ModelQuirks) {
  const { model, maxTokens, temperature, tools } = request;
  const system = toSystem(request);
  return {
    model,
    max_tokens: maxTokens,
    ...(system.length > 0 ? { system } : {}),
    messages: toMessageList(request, quirks.rejectsState),
    ...(tools.length > 0 ? { tools: toTools(tools, system.length === 0) } : {}),
    ...(quirks.rejectsTemperature ? {} : { temperature: Math.min(temperature, MAX_TEMPERATURE) }),
    stream: true,
  };
}

function toSystem({ messages }: ModelRequest): Block[] {
  const text = messages
    .filter(({ role, content }) => role === 'system' && content.trim() !== '')
    .map(({ content }) => content)
    .join('\n\n');
  return text === '' ? [] : [{ type: 'text', text, ...CACHE_HERE }];
}

function toTools(tools: readonly ToolDefinition[], isMarked: boolean) {
  return tools.map(({ name, description, parameters }, at) => ({
    name,
    description,
    input_schema: parameters,
    ...((isMarked && at === tools.length - 1) || name === TOOL_DESCRIBE.name ? CACHE_HERE : {}),
  }));
}

/** A block of content, as the API wants it. */
type Block = Readonly<Record<string, unknown> & { type: string }>;

/**
 * Turns a transcript into alternating messages of user and assistant. Results come first in the message after their
 * calls, and the end is marked for the cache.
 */
function toMessageList({ messages, model }: ModelRequest, isWithoutState: boolean): AlternatingMessage<Block>[] {
  return markEnd(toAlternating(messages, (message) => toBlocks(message, isWithoutState ? '' : model)));
}

function toBlocks(message: ModelMessage, model: string): Block[] {
  if (message.role === 'assistant') return toReply(message, model);
  if (message.role === 'user') return [...(message.images ?? []).map(toImage), ...toText(shownText(message.content))];
  if (message.role !== 'tool') return toText(shownText(message.content));
  const result = { type: 'tool_result', tool_use_id: toWireId(message.callId), content: message.content };
  return [message.isError ? { ...result, is_error: true } : result];
}

function toReply(message: AssistantMessage, model: string): Block[] {
  const parts = fill(message, layoutOf(message, ANTHROPIC, model));
  return parts.flatMap((part: FilledPart): Block[] => {
    if (part.type === 'text') return toText(part.text);
    // The state contains `thinking` or `redacted_thinking`; the API would reject anything else.
    if (part.type === 'block') return typeof part.block['type'] === 'string' ? [part.block as Block] : [];
    return [toCall(part.call)];
  });
}

function toImage({ mediaType, data }: ModelImage): Block {
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data } };
}

// The API rejects text without a visible character.
function toText(text: string): Block[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

function toCall({ id, name, arguments: input }: ModelToolCall): Block {
  return { type: 'tool_use', id: toWireId(id), name: toWireName(name), input };
}

function toWireId(id: string): string {
  return id.replace(/[^\w-]/g, '_');
}

function markEnd(list: readonly AlternatingMessage<Block>[]): AlternatingMessage<Block>[] {
  return list.map(({ role, content }, at) => {
    const isLast = at === list.length - 1;
    const marked = content.map((block, position) =>
      isLast && position === content.length - 1 && !block.type.endsWith('thinking')
        ? { ...block, ...CACHE_HERE }
        : block,
    );
    return { role, content: marked };
  });
}

type Fields = Readonly<Record<string, unknown>>;

/** A block of thinking while it arrives. */
interface OpenBlock {
  readonly type: 'block';
  readonly block: Record<string, unknown>;
}

/** Reads the events of a streamed message. */
class MessageReader implements WireReader {
  isOver = false;
  readonly #model: string;
  readonly #blocks = new BlockList<OpenBlock>();
  /** The calls whose arguments came with their heads: some servers send them in chunks too. */
  readonly #wholeCalls = new Set<StreamedCall>();
  readonly #argumentRoom = new ArgumentRoom();
  readonly #stateRoom = new StateRoom();
  readonly #ending = new ReplyEnding();
  #input: number | undefined;
  #output: number | undefined;
  #cacheRead = 0;
  #cacheWrite = 0;

  constructor(model: string) {
    this.#model = model;
  }

  get isEnding(): boolean {
    return this.#ending.isNear;
  }

  read(chunk: unknown): string {
    const event = asObject(chunk);
    switch (event['type']) {
      case 'content_block_delta':
        return this.#readDelta(asCount(event['index']), asObject(event['delta']));
      case 'content_block_start':
        return this.#openBlock(asCount(event['index']), asObject(event['content_block']));
      case 'message_start':
        this.#readUsage(asObject(event['message'])['usage']);
        return '';
      case 'message_delta':
        this.#readUsage(event['usage']);
        if (event['usage'] != null) this.#ending.sawUsageOfAll();
        this.#ending.takeReason(asObject(event['delta'])['stop_reason']);
        return '';
      case 'message_stop':
        this.isOver = true;
        this.takeEndMark();
        return '';
      // `ping`, the end of a block, and event types that do not exist yet.
      default:
        return '';
    }
  }

  // Some servers leave out why a reply ends. After nothing at all the mark ends none.
  takeEndMark(): void {
    if (this.#blocks.all.length > 0) this.#ending.takeMark(this.#blocks.calls);
  }

  end(): ReplyEnd {
    const { ending } = this.#ending;
    return {
      ending,
      calls: completeCalls(this.#blocks.calls, ending?.reason),
      usage: this.#usage(),
      state: toStateOfCalls(this.#model, this.#blocks.all.map(toLayoutPart), this.#stateRoom),
    };
  }

  #openBlock(index: number | undefined, block: Fields): string {
    const { type } = block;
    if (type === 'text') {
      this.#blocks.open(index, { type, characters: 0 });
      return this.#readDelta(index, { type: 'text_delta', text: block['text'] });
    }
    if (type === 'tool_use') {
      this.#ending.sawContent();
      const call = openCall(block, this.#argumentRoom);
      if (call.arguments.isWhole) this.#wholeCalls.add(call);
      this.#blocks.openCall(index, call);
    } else if (isThinking(type) && this.#stateRoom.take(JSON.stringify(block).length))
      this.#blocks.open(index, { type: 'block', block: { ...block } });
    else this.#blocks.pass(index);
    return '';
  }

  #readDelta(index: number | undefined, delta: Fields): string {
    const { partial_json: chunk } = delta;
    if (asText(chunk) !== '') this.#ending.sawContent();
    const call = chunk === undefined ? undefined : this.#blocks.callAt(index);
    if (call !== undefined && !this.#wholeCalls.has(call)) call.arguments.add(chunk);
    const block = this.#blocks.at(index);
    if (block?.type === 'block') this.#addToThinking(block.block, delta);
    const text = asText(delta['text']);
    if (text === '' || this.#blocks.isPassed(index)) return '';
    this.#blocks.addText(index, text.length);
    this.#ending.sawContent();
    return text;
  }

  #addToThinking(block: Record<string, unknown>, delta: Fields): void {
    for (const field of ['thinking', 'signature']) {
      const chunk = asText(delta[field]);
      if (chunk !== '' && this.#stateRoom.take(chunk.length)) block[field] = asText(block[field]) + chunk;
    }
  }

  // The final numbers include those of the beginning. A missing or zero one defaults to that of the beginning.
  #readUsage(value: unknown): void {
    const usage = asObject(value);
    const output = asCount(usage['output_tokens']);
    if (output !== undefined) this.#output = Math.max(output, this.#output ?? 0);
    const input = asCount(usage['input_tokens']);
    if (input === undefined) return;
    const [cacheRead, cacheWrite] = [
      asCount(usage['cache_read_input_tokens']),
      asCount(usage['cache_creation_input_tokens']),
    ];
    const whole = input + (cacheRead ?? 0) + (cacheWrite ?? 0);
    const lacksCache = cacheRead === undefined && cacheWrite === undefined;
    if (this.#input !== undefined && (lacksCache || whole === 0)) this.#input = Math.max(whole, this.#input);
    else [this.#input, this.#cacheRead, this.#cacheWrite] = [whole, cacheRead ?? 0, cacheWrite ?? 0];
  }

  #usage(): TokenUsage | undefined {
    if (this.#input === undefined || this.#output === undefined) return undefined;
    return {
      inputTokens: this.#input,
      outputTokens: this.#output,
      estimated: false,
      ...partOf('cachedInputTokens', this.#cacheRead),
      ...partOf('cacheWriteTokens', this.#cacheWrite),
    };
  }
}

// `input` is an empty object that chunks of JSON will replace, except in a message that was not streamed. Some servers
// write it as a text.
function openCall({ id, name, input }: Fields, room: ArgumentRoom): StreamedCall {
  const call = new StreamedCall(room, toCallId(id), asText(name));
  const isEmpty = typeof input === 'string' ? EMPTY.has(input.trim()) : Object.keys(asObject(input)).length === 0;
  if (!isEmpty) call.arguments.add(input);
  return call;
}

const EMPTY: ReadonlySet<string> = new Set(['', '{}']);

function isThinking(type: unknown): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

function toLayoutPart(block: BlockList<OpenBlock>['all'][number]): LayoutPart {
  return block.type === 'call' ? { type: 'call' } : block;
}
