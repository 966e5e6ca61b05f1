import type { TokenUsage } from '../../../domain/turns/index.ts';
import { BlockList, type TextBlock } from '../transport/block-list.ts';
import { asCount, asObject, asText } from '../transport/json.ts';
import { greaterUsage, partOf } from '../transport/part-of-usage.ts';
import { ReplyEnding } from '../failures/reply-ending.ts';
import { ArgumentRoom, completeCalls, StreamedCall, toCallId } from '../native-calls.ts';
import { type ReplyPiece, StateRoom, toStateOfCalls } from '../reply-layout.ts';
import type { ReplyEnd, WireReader } from '../wire-format.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Reads the events of a streamed conversation. */
export class ConverseReader implements WireReader {
  isOver = false;
  readonly #model: string;
  readonly #blocks = new BlockList<OpenBlock>();
  readonly #argumentRoom = new ArgumentRoom();
  readonly #stateRoom = new StateRoom();
  readonly #ending = new ReplyEnding();
  #usage: TokenUsage | undefined;

  constructor(model: string) {
    this.#model = model;
  }

  get isEnding(): boolean {
    return this.#ending.isNear;
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
      this.isOver = true;
    }
    return '';
  }

  end(): ReplyEnd {
    const { ending } = this.#ending;
    return {
      ending,
      calls: completeCalls(this.#blocks.calls, ending?.reason),
      usage: this.#usage,
      state: toStateOfCalls(this.#model, this.#blocks.all.flatMap(toPiece), this.#stateRoom),
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
    const pieces = {
      text: asText(whole['text']),
      signature: asText(whole['signature']),
      redacted: asText(delta['redactedContent']),
    };
    const { reasoning } = opened;
    for (const part of ['text', 'signature', 'redacted'] as const) {
      if (this.#stateRoom.take(pieces[part].length)) reasoning[part] += pieces[part];
    }
  }
}

// What was read from the cache and written to it comes on top of `inputTokens`.
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

/** What a model thought before it answered: with a signature, or encrypted. */
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
type OpenPiece = OpenBlock | TextBlock | { readonly type: 'call'; readonly call: StreamedCall };

/** Returns a block as a piece of the reply's layout. Reasoning that nothing vouches for is not sent back. */
function toPiece(block: OpenPiece): ReplyPiece[] {
  if (block.type === 'call') return [{ type: 'call' }];
  if (block.type === 'text') return [block];
  const { text, signature, redacted } = block.reasoning;
  if (redacted !== '') return [{ type: 'block', block: { reasoningContent: { redactedContent: redacted } } }];
  if (signature === '') return [];
  return [{ type: 'block', block: { reasoningContent: { reasoningText: { text, signature } } } }];
}
