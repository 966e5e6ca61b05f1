import type { TokenUsage } from '../../../domain/turns/index.ts';
import { greaterUsage, partOf } from '../transport/part-of-usage.ts';
import { asCount, asList, asObject, asText } from '../transport/json.ts';
import { ReplyEnding } from '../failures/reply-ending.ts';
import { ArgumentRoom, completeCalls, MAX_CALLS_KEPT, StreamedCall } from '../native-calls.ts';
import { type ReplyPiece, StateRoom, toState } from '../reply-layout.ts';
import type { IsEnding, ReplyEnd, WireReader } from '../wire-format.ts';

/** The longest signature that is kept, and the number of pieces whose signatures are kept. */
const MAX_SIGNATURE_CHARACTERS = 400_000;
const MAX_PIECES = 1_000;

/** Reads the chunks of streamed content. */
export class ContentReader implements WireReader {
  readonly isOver: boolean = false;
  readonly #model: string;
  readonly #room = new ArgumentRoom();
  readonly #stateRoom = new StateRoom();
  readonly #calls: StreamedCall[] = [];
  readonly #pieces: ReplyPiece[] = [];
  readonly #ending = new ReplyEnding();
  #hasContentWithoutReason = false;
  #isLastReason = false;
  #usage: TokenUsage | undefined;

  constructor(model: string) {
    this.#model = model;
  }

  get isEnding(): IsEnding {
    return this.#ending.isNear && this.#usage !== undefined && (this.#isLastReason || 'perhaps');
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
      state: this.#stateRoom.isExceeded ? undefined : toState(this.#model, this.#pieces),
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
    this.#pieces.push({ type: 'call', ...(signature === undefined ? {} : { signature }) });
  }

  // Adjacent texts without a signature are merged; a signature belongs to its own text, which may be empty.
  #addText(characters: number, signature: string | undefined): void {
    const last = this.#pieces.at(-1);
    const isFull = this.#pieces.length >= MAX_PIECES;
    if (last?.type === 'text' && (isFull || (signature === undefined && last.signature === undefined))) {
      last.characters += characters;
    } else if (!isFull && (characters > 0 || signature !== undefined)) {
      this.#pieces.push({ type: 'text', characters, ...(signature === undefined ? {} : { signature }) });
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
