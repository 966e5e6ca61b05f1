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
  layoutOf,
  type LayoutPart,
  shownText,
  StateRoom,
  toAlternating,
  toStateOfCalls,
} from './reply-layout.ts';
import { createAwsSigner } from './aws-signer.ts';
import { ReplyEnding } from './failures/reply-ending.ts';
import type { ModelRequest } from './model-adapter.ts';
import { ArgumentRoom, completeCalls, StreamedCall, toCallId } from './native-calls.ts';
import { BlockList, type TextBlock } from './transport/block-list.ts';
import { endpoint } from './transport/expect-answer.ts';
import { asCount, asList, asObject, asText, greaterUsage, partOf } from './transport/json.ts';
import type { ModelQuirks, ProviderRequest, ReplyEnd, WireFormat, WireReader } from './wire-format.ts';

/**
 * Makes the Converse API as Amazon publishes it (API reference of Bedrock, "ConverseStream"): one form for the models
 * of all labs.
 */
export function createBedrock(now: () => number = Date.now): WireFormat {
  return {
    answerName: 'message',
    decode: 'aws_event_stream',
    signer: createAwsSigner(now),
    tools: { maxDescription: 10_000 },
    toHttp: toConverseRequest,
    createReader: ({ model }) => new ConverseReader(model),
    splitWhole: splitMessage,
  };
}

/** Splits an answer of "Converse", which some gateways send for a stream. */
function splitMessage(answer: unknown): readonly unknown[] | undefined {
  const { output, stopReason, usage } = asObject(answer);
  const { content } = asObject(asObject(output)['message']);
  if (!Array.isArray(content)) return undefined;
  const blocks = asList(content).flatMap((block, contentBlockIndex) => {
    const { toolUse, ...delta } = asObject(block);
    const start = { contentBlockIndex, start: { toolUse } };
    const said = toolUse === undefined ? delta : { toolUse: { input: asObject(toolUse)['input'] } };
    return [
      ...(toolUse === undefined ? [] : [{ contentBlockStart: start }]),
      { contentBlockDelta: { contentBlockIndex, delta: said } },
    ];
  });
  return [...blocks, { messageStop: { stopReason } }, { metadata: { usage } }];
}

// Agents may have up to 2, which other providers take.
const MAX_TEMPERATURE = 1;

/** Builds the request for a streamed conversation. A model's id may be an address of AWS with `:` and `/` in it. */
function toConverseRequest(request: ModelRequest, quirks: ModelQuirks): ProviderRequest {
  const { baseUrl = '' } = request.account;
  return {
    url: endpoint(baseUrl, `/model/${encodeURIComponent(request.model)}/converse-stream`),
    headers: { accept: 'application/vnd.amazon.eventstream' },
    body: toParams(request, quirks),
  };
}

function toParams(request: ModelRequest, quirks: ModelQuirks) {
  const { maxTokens, temperature, tools, model } = request;
  const cached = mayCache(model) && !quirks.rejectsCache ? [CACHE_POINT] : [];
  const system = toSystem(request);
  return {
    messages: toConversation(request, { isWithoutState: quirks.rejectsState, cached }),
    ...(system === '' ? {} : { system: [{ text: system }, ...cached] }),
    ...(tools.length > 0 ? { toolConfig: { tools: tools.map(toTool) } } : {}),
    inferenceConfig: {
      maxTokens,
      ...(quirks.rejectsTemperature ? {} : { temperature: Math.min(temperature, MAX_TEMPERATURE) }),
    },
  };
}

// The models of other labs that cache do so by themselves, or reject cache points.
function mayCache(model: string): boolean {
  return model.includes('anthropic.claude');
}

function toSystem({ messages }: ModelRequest): string {
  return messages
    .filter(({ role, content }) => role === 'system' && content.trim() !== '')
    .map(({ content }) => content)
    .join('\n\n');
}

function toTool({ name, description, parameters }: ToolDefinition) {
  return { toolSpec: { name, description, inputSchema: { json: parameters } } };
}

/** A block of content, as the API wants it. */
type Block = Readonly<Record<string, unknown>>;

/** Marks the end of the part that the provider should cache. */
const CACHE_POINT: Block = { cachePoint: { type: 'default' } };

/** The catalog's word for this wire format. */
const BEDROCK = 'bedrock';
const MAX_ID_CHARACTERS = 64;

interface ConversationOptions {
  readonly isWithoutState: boolean;
  /** The blocks at the end. */
  readonly cached: readonly Block[];
}

/** Turns a transcript into alternating messages of user and assistant. */
function toConversation(
  { messages, model }: ModelRequest,
  { isWithoutState, cached }: ConversationOptions,
): AlternatingMessage<Block>[] {
  const list = toAlternating(messages, (message) => toBlocks(message, isWithoutState ? '' : model));
  const last = list.at(-1);
  if (last !== undefined) list[list.length - 1] = { ...last, content: [...last.content, ...cached] };
  return list;
}

function toBlocks(message: ModelMessage, model: string): Block[] {
  if (message.role === 'assistant') return toReply(message, model);
  const said = { text: shownText(message.content) };
  if (message.role === 'user') return [...(message.images ?? []).map(toImage), said];
  if (message.role !== 'tool') return [said];
  const result = { toolUseId: toWireId(message.callId), content: [said] };
  return [{ toolResult: message.isError ? { ...result, status: 'error' } : result }];
}

function toReply(message: AssistantMessage, model: string): Block[] {
  return fill(message, layoutOf(message, BEDROCK, model)).flatMap((part): Block[] => {
    if (part.type === 'block') return 'reasoningContent' in part.block ? [part.block] : [];
    if (part.type === 'call') return [toCall(part.call)];
    return part.text.trim() === '' ? [] : [{ text: part.text }];
  });
}

function toImage({ mediaType, data }: ModelImage): Block {
  return { image: { format: mediaType.replace(/^image\//, ''), source: { bytes: data } } };
}

function toCall({ id, name, arguments: input }: ModelToolCall): Block {
  return { toolUse: { toolUseId: toWireId(id), name: toWireName(name), input } };
}

function toWireId(id: string): string {
  return id.replace(/[^\w-]/g, '_').slice(-MAX_ID_CHARACTERS);
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads the events of a streamed conversation. */
class ConverseReader implements WireReader {
  readonly #model: string;
  readonly #blocks = new BlockList<OpenBlock>();
  readonly #argumentRoom = new ArgumentRoom();
  readonly #stateRoom = new StateRoom();
  readonly #ending = new ReplyEnding();
  #usage: TokenUsage | undefined;
  #hasUsage = false;

  constructor(model: string) {
    this.#model = model;
  }

  // Nothing but the usage follows what says how a message ends.
  get isEnding(): boolean {
    return this.#ending.ending !== undefined;
  }

  // Some gateways send the usage first.
  get isOver(): boolean {
    return this.isEnding && this.#hasUsage;
  }

  read(chunk: unknown): string {
    const { contentBlockDelta: delta, contentBlockStart: start, messageStop: stop, metadata } = asObject(chunk);
    if (delta !== undefined) return this.#readDelta(asObject(delta));
    if (start !== undefined) this.#openCall(asObject(start));
    else if (stop !== undefined) {
      this.#ending.takeReason(asObject(stop)['stopReason']);
      this.#ending.takeMark(this.#blocks.calls);
    } else if (metadata !== undefined) {
      this.#usage = greaterUsage(this.#usage, toUsage(asObject(asObject(metadata)['usage'])));
      this.#hasUsage = true;
    }
    return '';
  }

  end(): ReplyEnd {
    const { ending } = this.#ending;
    return {
      ending,
      calls: completeCalls(this.#blocks.calls, ending?.reason),
      usage: this.#usage,
      state: toStateOfCalls(this.#model, this.#blocks.all.flatMap(toLayoutPart), this.#stateRoom),
    };
  }

  #openCall({ contentBlockIndex: index, start }: Fields): void {
    const { toolUse } = asObject(start);
    if (toolUse === undefined) return;
    this.#ending.sawContent();
    const { toolUseId, name } = asObject(toolUse);
    const call = new StreamedCall(this.#argumentRoom, toCallId(toolUseId), asText(name));
    this.#blocks.openCall(asCount(index), call);
  }

  // Only calls are announced: other blocks begin with their first delta.
  #readDelta({ contentBlockIndex: index, delta }: Fields): string {
    const { text: said, toolUse, reasoningContent } = asObject(delta);
    const text = asText(said);
    if (toolUse !== undefined || text !== '') this.#ending.sawContent();
    if (toolUse !== undefined) this.#blocks.callAt(asCount(index))?.arguments.add(asObject(toolUse)['input']);
    if (reasoningContent !== undefined) this.#addReasoning(asCount(index), asObject(reasoningContent));
    if (text !== '') this.#blocks.addText(asCount(index), text.length);
    return text;
  }

  #addReasoning(index: number | undefined, delta: Fields): void {
    const block = this.#blocks.at(index);
    const empty = { text: '', signature: '', redacted: '' };
    const opened =
      block?.type === 'reasoning' ? block : this.#blocks.open(index, { type: 'reasoning', reasoning: empty });
    const whole = asObject(delta['reasoningText'] ?? delta);
    const chunks = {
      text: asText(whole['text']),
      signature: asText(whole['signature']),
      redacted: asText(delta['redactedContent']),
    };
    const { reasoning } = opened;
    for (const part of ['text', 'signature', 'redacted'] as const) {
      if (this.#stateRoom.take(chunks[part].length)) reasoning[part] += chunks[part];
    }
  }
}

// Tokens read from the cache and written to it come on top of `inputTokens`.
function toUsage(usage: Fields): TokenUsage | undefined {
  const input = asCount(usage['inputTokens']);
  const outputTokens = asCount(usage['outputTokens']);
  if (input === undefined || outputTokens === undefined) return undefined;
  const cacheRead = asCount(usage['cacheReadInputTokens']) ?? 0;
  const cacheWrite = asCount(usage['cacheWriteInputTokens']) ?? 0;
  return {
    inputTokens: input + cacheRead + cacheWrite,
    outputTokens,
    estimated: false,
    ...partOf('cachedInputTokens', cacheRead),
    ...partOf('cacheWriteTokens', cacheWrite),
  };
}

/** A model's reasoning before its answer: with a signature, or encrypted. */
interface Reasoning {
  text: string;
  signature: string;
  /** In base64. */
  redacted: string;
}

/** A block of reasoning while it arrives. */
interface OpenBlock {
  readonly type: 'reasoning';
  readonly reasoning: Reasoning;
}

/** A block of a message, calls and texts included. */
type OpenPart = OpenBlock | TextBlock | { readonly type: 'call'; readonly call: StreamedCall };

/** Returns a block as a part of the reply's layout. Reasoning that nothing vouches for is not sent back. */
function toLayoutPart(block: OpenPart): LayoutPart[] {
  if (block.type === 'call') return [{ type: 'call' }];
  if (block.type === 'text') return [block];
  const { text, signature, redacted } = block.reasoning;
  if (redacted !== '') return [{ type: 'block', block: { reasoningContent: { redactedContent: redacted } } }];
  if (signature === '') return [];
  return [{ type: 'block', block: { reasoningContent: { reasoningText: { text, signature } } } }];
}
