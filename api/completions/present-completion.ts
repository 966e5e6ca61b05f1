import type { z } from 'zod';
import type { EndedTurn } from '../../db/turns/progress/chat-progress.ts';
import { isCutAnswer, usageOfAnswer } from '../chats/message-metadata.ts';
import type { completionChunkSchema, completionSchema } from './schema.ts';

type Chunk = z.input<typeof completionChunkSchema>;
type Usage = NonNullable<Chunk['usage']>;

/** The fields that all parts of one answer share. */
export interface CompletionHead {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly created: number;
  /** As the client named it. */
  readonly model: string;
}

/** Returns a whole answer. */
export function presentCompletion(head: CompletionHead, turn: EndedTurn): z.input<typeof completionSchema> {
  const message = { role: 'assistant' as const, content: turn.answer.content, refusal: null };
  return {
    ...head,
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReasonOf(turn) }],
    usage: usageOf(turn),
    everturn: referenceOf(turn),
  };
}

/** Returns a part of a streamed answer; the last one has a reason to finish. */
export function presentChunk(
  head: CompletionHead,
  delta: Chunk['choices'][number]['delta'],
  finish: Chunk['choices'][number]['finish_reason'] = null,
): Chunk {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
  return { ...head, object: 'chat.completion.chunk', choices };
}

/** Returns the part of a streamed answer that has its usage, and no choice. */
export function presentUsage(head: CompletionHead, turn: EndedTurn): Chunk {
  return {
    ...head,
    object: 'chat.completion.chunk',
    choices: [],
    usage: usageOf(turn),
    everturn: referenceOf(turn),
  };
}

/** Returns why an answer ends. */
export function finishReasonOf({ answer }: EndedTurn): 'stop' | 'length' {
  return isCutAnswer(answer.metadata) ? 'length' : 'stop';
}

function referenceOf({ chatId, id }: EndedTurn): { chat_id: string; turn_id: string } {
  return { chat_id: chatId, turn_id: id };
}

function usageOf({ answer }: EndedTurn): Usage {
  const usage = usageOfAnswer(answer.metadata);
  const { input_tokens, output_tokens, cached_input_tokens: cached, reasoning_tokens: reasoning } = usage;
  return {
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    total_tokens: input_tokens + output_tokens,
    ...(cached !== undefined && { prompt_tokens_details: { cached_tokens: cached } }),
    ...(reasoning !== undefined && { completion_tokens_details: { reasoning_tokens: reasoning } }),
  };
}
