import type { ReplyPiece } from '../reply-layout.ts';
import type { StreamedCall } from '../native-calls.ts';
import type { TextBlock } from '../transport/block-list.ts';

/** What a model thought before it answered: with a signature, or encrypted. */
interface Reasoning {
  text: string;
  signature: string;
  /** In base64. */
  redacted: string;
}

/** A block of reasoning while it arrives. */
export interface OpenBlock {
  readonly type: 'reasoning';
  readonly reasoning: Reasoning;
}

/** A block of a message, calls and texts included. */
type OpenPiece = OpenBlock | TextBlock | { readonly type: 'call'; readonly call: StreamedCall };

/** Returns a block as a piece of the reply's layout. Reasoning that nothing vouches for is not sent back. */
export function toPiece(block: OpenPiece): ReplyPiece[] {
  if (block.type === 'call') return [{ type: 'call' }];
  if (block.type === 'text') return [block];
  const { text, signature, redacted } = block.reasoning;
  if (redacted !== '') return [{ type: 'block', block: { reasoningContent: { redactedContent: redacted } } }];
  if (signature === '') return [];
  return [{ type: 'block', block: { reasoningContent: { reasoningText: { text, signature } } } }];
}
