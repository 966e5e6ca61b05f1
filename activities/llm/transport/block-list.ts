import { MAX_CALLS_KEPT, type StreamedCall } from '../native-calls.ts';

/** Blocks of one reply that are kept. */
const MAX_BLOCKS = 4 * MAX_CALLS_KEPT;

interface CallBlock {
  readonly type: 'call';
  readonly call: StreamedCall;
}

/**
 * The blocks of a reply, in the order in which they were opened. An index names the block that was opened last under
 * it: some servers give all blocks the same one.
 */
export class BlockList<Block extends { readonly type: string }> {
  readonly #blocks: (Block | CallBlock)[] = [];
  readonly #byIndex = new Map<unknown, Block | CallBlock | undefined>();

  get all(): readonly (Block | CallBlock)[] {
    return this.#blocks;
  }

  get calls(): StreamedCall[] {
    return this.#blocks.flatMap((block) => (isCall(block) ? block.call : []));
  }

  at(index: unknown): Block | CallBlock | undefined {
    return this.#byIndex.get(index);
  }

  /** Opens a block; one beyond those that are kept is read, and dropped. */
  open<Opened extends Block | CallBlock>(index: unknown, block: Opened): Opened {
    if (this.#blocks.length < MAX_BLOCKS) this.#blocks.push(block);
    this.#byIndex.set(index, block);
    return block;
  }

  /** Opens a call, unless it is only said again that it begins. */
  openCall(index: unknown, call: StreamedCall): void {
    const known = this.at(index);
    const isRepeat = isCall(known) && call.id !== '' && known.call.id === call.id && known.call.name === call.name;
    if (!isRepeat) this.open(index, { type: 'call', call });
  }

  /** Notes a block that nothing is kept of. */
  pass(index: unknown): void {
    this.#byIndex.set(index, undefined);
  }

  /** Returns whether the block that was opened last under an index is one that nothing is kept of. */
  isPassed(index: unknown): boolean {
    return this.#byIndex.has(index) && this.#byIndex.get(index) === undefined;
  }

  /**
   * Returns the call that a piece of arguments belongs to. One under an index of no block belongs to the call that is
   * being written.
   */
  callAt(index: unknown): StreamedCall | undefined {
    const named = this.#byIndex.has(index) ? this.at(index) : this.#blocks.at(-1);
    if (!isCall(named) || (named !== this.at(index) && named.call.arguments.isWhole)) return undefined;
    this.#byIndex.set(index, named);
    return named.call;
  }
}

function isCall(block: { readonly type: string } | undefined): block is CallBlock {
  return block?.type === 'call';
}
