import {
  type ModelImage,
  type ModelMessage,
  type ModelToolCall,
  toWireName,
} from '../../../domain/transcripts/index.ts';
import { type AlternatingMessage, shownText, toAlternating } from '../alternating-messages.ts';
import type { ModelRequest } from '../model-adapter.ts';
import { type AssistantMessage, fill, layoutOf } from '../reply-layout.ts';

/** A block of content, as the API wants it. */
type Block = Readonly<Record<string, unknown>>;

/** Marks the end of the part that the provider should cache. */
export const CACHE_POINT: Block = { cachePoint: { type: 'default' } };

/** The catalog's word for this wire format. */
const BEDROCK = 'bedrock';
const MAX_ID_CHARACTERS = 64;

interface ConversationOptions {
  readonly isWithoutState: boolean;
  /** What stands at the end. */
  readonly cached: readonly Block[];
}

/** Turns a transcript into alternating messages of user and assistant. */
export function toConversation(
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
  return fill(message, layoutOf(message, BEDROCK, model)).flatMap((piece): Block[] => {
    if (piece.type === 'block') return 'reasoningContent' in piece.block ? [piece.block] : [];
    if (piece.type === 'call') return [toCall(piece.call)];
    return piece.text.trim() === '' ? [] : [{ text: piece.text }];
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
