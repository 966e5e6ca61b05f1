import { createHash } from 'node:crypto';
import { countPromptTokens, newestUserIndex, textOf } from '../../test/support/scripted-model/chat-request.ts';
import type { JournalEntry } from '../../test/support/scripted-model/index.ts';

/** A request to the model that has ended, in short. */
export interface ModelReply {
  /** Identifies the message that it answers. */
  readonly contentHash: string;
  /** Replies to the same message that came before it, by the transcript. */
  readonly step: number;
  readonly status: number;
  /** The client went away before the reply was complete. */
  readonly isAborted: boolean;
  readonly promptTokens: number;
  readonly chunks: number;
  /** The answer to a question that the request holds; null without one. */
  readonly answer: string | null;
}

/** In a native result, and escaped in a fenced one. */
const ANSWER = /"answer\\?":\\?"([^"\\]+)/;

/** Returns the parts of a request that the audit needs. */
export function readReply({ messages, status, aborted, chunksSent }: JournalEntry): ModelReply {
  const userIndex = newestUserIndex(messages);
  const user = messages[userIndex];
  const since = messages.slice(userIndex + 1);
  const results = since.filter(({ role }) => role !== 'assistant').map(textOf);
  return {
    contentHash: hashOf(user === undefined ? '' : textOf(user)),
    step: since.filter(({ role }) => role === 'assistant').length,
    status,
    isAborted: aborted,
    promptTokens: countPromptTokens(messages),
    chunks: chunksSent,
    answer: ANSWER.exec(results.join('\n'))?.[1] ?? null,
  };
}

/** Returns a short name of a message's text. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
