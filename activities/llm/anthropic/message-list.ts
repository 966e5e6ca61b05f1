import {
  type ModelImage,
  type ModelMessage,
  type ModelToolCall,
  toWireName,
} from '../../../domain/transcripts/index.ts';
import { type AlternatingMessage, shownText, toAlternating } from '../alternating-messages.ts';
import type { ModelRequest } from '../model-adapter.ts';
import { type AssistantMessage, fill, type FilledPiece, layoutOf } from '../reply-layout.ts';

/** A block of content, as the API wants it. */
export type Block = Readonly<Record<string, unknown> & { type: string }>;

/** Marks the end of the part that the provider should cache. */
export const CACHE_HERE = { cache_control: { type: 'ephemeral' } } as const;

/** The catalog's word for this wire format. */
const ANTHROPIC = 'anthropic';

/**
 * Turns a transcript into alternating messages of user and assistant. Results come first in the message after their
 * calls, and the end is marked for the cache.
 */
export function toMessageList({ messages, model }: ModelRequest, isWithoutState: boolean): AlternatingMessage<Block>[] {
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
  const pieces = fill(message, layoutOf(message, ANTHROPIC, model));
  return pieces.flatMap((piece: FilledPiece): Block[] => {
    if (piece.type === 'text') return toText(piece.text);
    // The state holds `thinking` or `redacted_thinking`; the API would reject anything else.
    if (piece.type === 'block') return typeof piece.block['type'] === 'string' ? [piece.block as Block] : [];
    return [toCall(piece.call)];
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
