import type { TokenUsage } from '../../../domain/turns/index.ts';
import { BlockList } from '../transport/block-list.ts';
import { partOf } from '../transport/part-of-usage.ts';
import { asCount, asObject, asText } from '../transport/json.ts';
import { ReplyEnding } from '../failures/reply-ending.ts';
import { ArgumentRoom, completeCalls, StreamedCall, toCallId } from '../native-calls.ts';
import { type ReplyPiece, StateRoom, toStateOfCalls } from '../reply-layout.ts';
import type { ReplyEnd, WireReader } from '../wire-format.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A block of thinking while it arrives. */
interface OpenBlock {
  readonly type: 'block';
  readonly block: Record<string, unknown>;
}

/** Reads the events of a streamed message. */
export class MessageReader implements WireReader {
  isOver = false;
  readonly #model: string;
  readonly #blocks = new BlockList<OpenBlock>();
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
      state: toStateOfCalls(this.#model, this.#blocks.all.map(toPiece), this.#stateRoom),
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
      this.#blocks.openCall(index, openCall(block, this.#argumentRoom));
    } else if (isThinking(type) && this.#stateRoom.take(JSON.stringify(block).length))
      this.#blocks.open(index, { type: 'block', block: { ...block } });
    else this.#blocks.pass(index);
    return '';
  }

  #readDelta(index: number | undefined, delta: Fields): string {
    const { partial_json: piece } = delta;
    if (asText(piece) !== '') this.#ending.sawContent();
    if (piece !== undefined) this.#blocks.callAt(index)?.arguments.add(piece);
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
      const piece = asText(delta[field]);
      if (piece !== '' && this.#stateRoom.take(piece.length)) block[field] = asText(block[field]) + piece;
    }
  }

  // The final numbers include those of the beginning. Where one is missing, or none, that of the beginning holds.
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

// `input` is an empty object that pieces of JSON will replace, except in a message that was not streamed. Some servers
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

function toPiece(block: BlockList<OpenBlock>['all'][number]): ReplyPiece {
  return block.type === 'call' ? { type: 'call' } : block;
}
