import type { Answer } from './behaviour.ts';
import { countPromptTokens } from './chat-request.ts';
import type { JournalEntry } from './journal.ts';
import type { CompletionHead, Usage } from './wire.ts';

/** Returns the fields that all chunks of one completion share. */
export function completionHead(request: JournalEntry): CompletionHead {
  return { id: `chatcmpl-${request.id}`, created: Math.floor(request.startedAt / 1000), model: request.model };
}

export function finishReasonOf(answer: Answer): string {
  return answer.finishReason ?? ((answer.toolCalls?.length ?? 0) > 0 ? 'tool_calls' : 'stop');
}

/**
 * Counts usage: prompt tokens are the words of all messages, completion tokens the chunks, unless the behaviour says
 * otherwise.
 */
export function usageOf(answer: Answer, request: JournalEntry, chunks: number): Usage {
  return answer.usageNumbers ?? { promptTokens: countPromptTokens(request.messages), completionTokens: chunks };
}
