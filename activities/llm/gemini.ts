import type { SchemaProfile } from '../../domain/tool-offer/wire/flatten.ts';
import type { ModelImage, ModelMessage, ToolDefinition } from '../../domain/transcripts/model-message.ts';
import { toWireName } from '../../domain/transcripts/render-turn.ts';
import type { TokenUsage } from '../../domain/turns.ts';
import {
  type AssistantMessage,
  fill,
  type FilledPart,
  layoutOf,
  type LayoutPart,
  shownText,
  StateRoom,
  toState,
} from './reply-layout.ts';
import { ReplyEnding } from './failures/reply-ending.ts';
import type { ModelRequest } from './model-adapter.ts';
import { ArgumentRoom, completeCalls, MAX_CALLS_KEPT, StreamedCall } from './native-calls.ts';
import { endpoint, withVersion } from './transport/expect-answer.ts';
import { asCount, asList, asObject, asText, greaterUsage, partOf } from './transport/json.ts';
import type { IsEnding, ModelQuirks, ProviderRequest, ReplyEnd, WireFormat, WireReader } from './wire-format.ts';

/** The keywords of `parametersJsonSchema`, as Google lists them. */
const TOOLS: SchemaProfile = {
  maxDescription: 10_000,
  keywords: new Set(
    `type title description format enum minimum maximum properties required additionalProperties
      items minItems maxItems anyOf`.split(/\s+/),
  ),
  formats: new Set(['date-time', 'date', 'time', 'int32', 'int64', 'float', 'double']),
};

/** The catalog's word for this wire format. */
const GEMINI = 'gemini';

/** Gemini 3 rejects the first call of a reply without a signature; this value replaces one that it never gave. */
const FOREIGN_SIGNATURE = 'skip_thought_signature_validator';

/** The Gemini API as Google publishes it (API reference, `models.streamGenerateContent`, version v1beta). */
export const gemini: WireFormat = {
  answerName: 'content',
  tools: TOOLS,
  toHttp: toContentRequest,
  createReader: ({ model }) => new ContentReader(model),
  // Without server-sent events the API responds with a list of the chunks.
  splitWhole: (answer) => {
    const chunks: unknown[] = Array.isArray(answer) ? answer : [answer];
    const isContent = (chunk: unknown) => 'candidates' in asObject(chunk) || 'promptFeedback' in asObject(chunk);
    return chunks.some(isContent) ? chunks : undefined;
  },
};

/** Builds the request for streamed content. The key goes in a header, because addresses end up in logs. */
function toContentRequest(request: ModelRequest, quirks: ModelQuirks): ProviderRequest {
  const { baseUrl = '', apiKey } = request.account;
  const path = `/models/${encodeURIComponent(request.model.replace(/^models\//, ''))}:streamGenerateContent`;
  return {
    url: endpoint(withVersion(baseUrl, 'v1beta'), path, { alt: 'sse' }),
    headers: apiKey === undefined ? {} : { 'x-goog-api-key': apiKey },
    body: toParams(request, quirks),
  };
}

function toParams(request: ModelRequest, quirks: ModelQuirks) {
  const { maxTokens, temperature, tools } = request;
  const system = toSystem(request);
  return {
    ...(system === '' ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    contents: toContents(request, quirks.rejectsState),
    ...(tools.length > 0 ? { tools: [{ functionDeclarations: tools.map(toDeclaration) }] } : {}),
    generationConfig: { maxOutputTokens: maxTokens, ...(quirks.rejectsTemperature ? {} : { temperature }) },
  };
}

function toSystem({ messages }: ModelRequest): string {
  const texts = messages.filter(({ role, content }) => role === 'system' && content.trim() !== '');
  return texts.map(({ content }) => content).join('\n\n');
}

// `parametersJsonSchema` takes JSON Schema as it is; the older `parameters` takes only a subset.
function toDeclaration({ name, description, parameters }: ToolDefinition) {
  return { name, description, parametersJsonSchema: parameters };
}

type Part = Readonly<Record<string, unknown>>;

interface Content {
  readonly role: 'user' | 'model';
  readonly parts: readonly Part[];
}

/**
 * Turns a transcript into contents of user and model. Results form a content of their own right after their calls,
 * because their number must match that of the calls.
 */
function toContents({ messages, model }: ModelRequest, isWithoutState: boolean): Content[] {
  const contents: Content[] = [];
  let before: ModelMessage['role'] | undefined;
  for (const message of messages) {
    if (message.role === 'system') continue;
    const role = message.role === 'assistant' ? 'model' : 'user';
    const parts = toParts(message, model, isWithoutState);
    const last = contents.at(-1);
    if (parts.length === 0) continue;
    if (last !== undefined && message.role === before) {
      contents[contents.length - 1] = { role, parts: [...last.parts, ...parts] };
    } else contents.push({ role, parts });
    before = message.role;
  }
  return contents;
}

function toParts(message: ModelMessage, model: string, isWithoutState: boolean): Part[] {
  if (message.role === 'assistant') {
    const parts = toReply(message, isWithoutState ? '' : model);
    return isStrict(model) ? withSignature(parts) : parts;
  }
  if (message.role !== 'tool') {
    const text = { text: shownText(message.content) };
    return message.role === 'user' ? [...(message.images ?? []).map(toImage), text] : [text];
  }
  const { callId: id, name, content, isError } = message;
  const response = isError ? { error: content } : { result: content };
  return [{ functionResponse: { id, name: toWireName(name), response } }];
}

function toImage({ mediaType, data }: ModelImage): Part {
  return { inlineData: { mimeType: mediaType, data } };
}

function toReply(message: AssistantMessage, model: string): Part[] {
  return fill(message, layoutOf(message, GEMINI, model)).flatMap((part: FilledPart): Part[] => {
    if (part.type === 'block') return [];
    const signed = part.signature === undefined ? {} : { thoughtSignature: part.signature };
    if (part.type === 'text')
      return part.text === '' && part.signature === undefined ? [] : [{ text: part.text, ...signed }];
    const { id, name, arguments: args } = part.call;
    return [{ functionCall: { id, name: toWireName(name), args }, ...signed }];
  });
}

function isStrict(model: string): boolean {
  return !/gemini-[12]\b/.test(model);
}

function withSignature(parts: readonly Part[]): Part[] {
  const first = parts.findIndex((part) => 'functionCall' in part);
  return parts.map((part, at) => (at === first ? { thoughtSignature: FOREIGN_SIGNATURE, ...part } : part));
}

/** The longest signature that is kept, and the number of parts whose signatures are kept. */
const MAX_SIGNATURE_CHARACTERS = 400_000;
const MAX_LAYOUT_PARTS = 1_000;

/** Reads the chunks of streamed content. */
class ContentReader implements WireReader {
  readonly isOver: boolean = false;
  readonly #model: string;
  readonly #room = new ArgumentRoom();
  readonly #stateRoom = new StateRoom();
  readonly #calls: StreamedCall[] = [];
  readonly #layout: LayoutPart[] = [];
  readonly #ending = new ReplyEnding();
  #hasContentWithoutReason = false;
  #isLastReason = false;
  #usage: TokenUsage | undefined;

  constructor(model: string) {
    this.#model = model;
  }

  get isEnding(): IsEnding {
    const { isNear, mayBeEmpty } = this.#ending;
    const isLast = isNear && this.#isLastReason && this.#usage !== undefined;
    return isLast || ((isNear || mayBeEmpty) && 'perhaps');
  }

  read(chunk: unknown): string {
    const { candidates, promptFeedback, usageMetadata } = asObject(chunk);
    if (usageMetadata != null) this.#usage = greaterUsage(this.#usage, toUsage(asObject(usageMetadata)));
    if (isBlocked(asObject(promptFeedback)['blockReason'])) this.#ending.takeReason('content_filter');
    const { content, finishReason } = asObject(asList(candidates)[0]);
    let text = '';
    const parts = asList(asObject(content)['parts']).map(asObject);
    for (const part of parts) text += this.#readPart(part);
    const isReason = this.#ending.takeReason(finishReason);
    const hasContent = parts.some(isContent);
    // Older models send STOP, and all models the usage, with each chunk of content.
    const isOfEach = hasContent && !this.#hasContentWithoutReason && this.#ending.ending?.reason === 'done';
    this.#isLastReason ||= isReason && !isOfEach;
    this.#hasContentWithoutReason ||= hasContent && !isReason;
    return text;
  }

  takeEndMark(): void {
    if (this.#ending.hasContent) this.#ending.takeMark(this.#calls);
  }

  end(): ReplyEnd {
    const { ending } = this.#ending;
    return {
      ending,
      calls: completeCalls(this.#calls, ending?.reason),
      usage: this.#usage,
      state: this.#stateRoom.isExceeded ? undefined : toState(this.#model, this.#layout),
    };
  }

  #readPart(part: Readonly<Record<string, unknown>>): string {
    const { functionCall, thought } = part;
    if (isContent(part)) this.#ending.sawContent();
    const signature = this.#signatureOf(part);
    if (functionCall != null) {
      this.#addCall(asObject(functionCall), signature);
      return '';
    }
    const text = thought === true ? '' : asText(part['text']);
    this.#addText(text.length, thought === true ? undefined : signature);
    return text;
  }

  #signatureOf({ thoughtSignature }: Readonly<Record<string, unknown>>): string | undefined {
    const signature = asText(thoughtSignature);
    if (signature === '' || signature.length > MAX_SIGNATURE_CHARACTERS) return undefined;
    return this.#stateRoom.take(signature.length) ? signature : undefined;
  }

  #addCall({ name, args }: Readonly<Record<string, unknown>>, signature: string | undefined): void {
    if (this.#calls.length >= MAX_CALLS_KEPT) return;
    const call = new StreamedCall(this.#room, '', asText(name));
    call.arguments.add(args ?? {});
    this.#calls.push(call);
    this.#layout.push({ type: 'call', ...(signature === undefined ? {} : { signature }) });
  }

  // Adjacent texts without a signature are merged; a signature belongs to its own text, which may be empty.
  #addText(characters: number, signature: string | undefined): void {
    const last = this.#layout.at(-1);
    const isFull = this.#layout.length >= MAX_LAYOUT_PARTS;
    if (last?.type === 'text' && (isFull || (signature === undefined && last.signature === undefined))) {
      last.characters += characters;
    } else if (!isFull && (characters > 0 || signature !== undefined)) {
      this.#layout.push({ type: 'text', characters, ...(signature === undefined ? {} : { signature }) });
    }
  }
}

function isContent({ functionCall, text }: Readonly<Record<string, unknown>>): boolean {
  return functionCall != null || asText(text) !== '';
}

function isBlocked(reason: unknown): boolean {
  return typeof reason === 'string' && reason !== 'BLOCK_REASON_UNSPECIFIED';
}

function toUsage(usage: Readonly<Record<string, unknown>>): TokenUsage | undefined {
  const prompt = asCount(usage['promptTokenCount']);
  // A chunk of thinking has no candidate yet, and lacks its fields.
  const answer = asCount(usage['candidatesTokenCount'] ?? 0);
  if (prompt === undefined || answer === undefined) return undefined;
  return {
    inputTokens: prompt + (asCount(usage['toolUsePromptTokenCount']) ?? 0),
    outputTokens: answer + (asCount(usage['thoughtsTokenCount']) ?? 0),
    estimated: false,
    ...partOf('cachedInputTokens', asCount(usage['cachedContentTokenCount'])),
    ...partOf('reasoningTokens', asCount(usage['thoughtsTokenCount'])),
  };
}
