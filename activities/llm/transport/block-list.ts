import { MAX_CALLS_KEPT, type StreamedCall } from '../native-calls.ts';

/** Blocks of one reply that are kept. */
const MAX_BLOCKS = 4 * MAX_CALLS_KEPT;

interface CallBlock {
  readonly type: 'call';
  readonly call: StreamedCall;
}

/** A text of a reply, of which only the length is kept. */
export interface TextBlock {
  readonly type: 'text';
  characters: number;
}

/**
 * The blocks of a reply, in the order in which they were opened. An index names the block that was opened last under
 * it: some servers give all blocks the same one.
 */
export class BlockList<Block extends { readonly type: string }> {
  readonly #blocks: (Block | CallBlock | TextBlock)[] = [];
  readonly #byIndex = new Map<unknown, Block | CallBlock | TextBlock | undefined>();

  get all(): readonly (Block | CallBlock | TextBlock)[] {
    return this.#blocks;
  }

  get calls(): StreamedCall[] {
    return this.#blocks.flatMap((block) => (isCall(block) ? block.call : []));
  }

  at(index: unknown): Block | CallBlock | TextBlock | undefined {
    return this.#byIndex.get(index);
  }

  /** Opens a block; one beyond those that are kept is read, and dropped. */
  open<Opened extends Block | CallBlock | TextBlock>(index: unknown, block: Opened): Opened {
    this.#append(block);
    this.#byIndex.set(index, block);
    return block;
  }

  /**
   * Adds the characters of a text. Some servers begin no block for it, or send it under the index of another one, the
   * rest of which may still follow: that index still names the other block.
   */
  addText(index: unknown, characters: number): void {
    const named = this.at(index);
    const known = named === undefined || isText(named) ? named : this.#blocks.at(-1);
    if (isText(known)) known.characters += characters;
    else if (named === undefined) this.open(index, { type: 'text', characters });
    else this.#append({ type: 'text', characters });
  }

  /**
   * Opens a call, unless it is only said again that it begins. Some servers give all calls of a tool the same id: one
   * that is whole is followed by another.
   */
  openCall(index: unknown, call: StreamedCall): void {
    const known = this.at(index);
    if (!isCall(known) || !isRepeat(known.call, call)) this.open(index, { type: 'call', call });
  }

  /** Records a block of which nothing is kept. */
  pass(index: unknown): void {
    this.#byIndex.set(index, undefined);
  }

  /** Returns whether the block that was opened last under an index is one that nothing is kept of. */
  isPassed(index: unknown): boolean {
    return this.#byIndex.has(index) && this.#byIndex.get(index) === undefined;
  }

  /**
   * Returns the call that a chunk of arguments belongs to. One under an index of no block, or of another kind of block,
   * belongs to the call that is being written.
   */
  callAt(index: unknown): StreamedCall | undefined {
    const known = this.at(index);
    const named = isCall(known) || this.isPassed(index) ? known : this.#blocks.at(-1);
    if (!isCall(named) || (named !== known && named.call.arguments.isWhole)) return undefined;
    this.#byIndex.set(index, named);
    return named.call;
  }

  #append(block: Block | CallBlock | TextBlock): void {
    if (this.#blocks.length < MAX_BLOCKS) this.#blocks.push(block);
  }
}

function isRepeat(known: StreamedCall, { id, name, arguments: args }: StreamedCall): boolean {
  const isSame = id !== '' && known.id === id && known.name === name;
  return isSame && (!known.arguments.isWhole || known.arguments.text === args.text);
}

function isText(block: { readonly type: string } | undefined): block is TextBlock {
  return block?.type === 'text';
}

function isCall(block: { readonly type: string } | undefined): block is CallBlock {
  return block?.type === 'call';
}
