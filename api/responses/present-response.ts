import type { z } from 'zod';
import type { EndedTurn } from '../../db/turns/progress/chat-progress.ts';
import { failureText } from '../chats/schema.ts';
import { isCutAnswer, usageOfAnswer } from '../chats/message-metadata.ts';
import type { SseReply } from '../http/sse-reply.ts';
import type { responseSchema } from './schema.ts';

type Shown = z.input<typeof responseSchema>;
type OutputMessage = Shown['output'][number];

/** The identity of an answer, before there is one. */
export interface ResponseHead {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly createdAt: number;
  /** As the client named it. */
  readonly model: string;
  readonly instructions: string | null;
  /** As the client gave it. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly previousId: string | null;
  readonly chatId: string;
  readonly turnId: string;
}

/** Returns an answer as it is so far: begun, or with the turn that has ended. */
export function presentResponse(head: ResponseHead, ended?: EndedTurn): Shown {
  const { id, createdAt, model, instructions, metadata, previousId, chatId, turnId } = head;
  const hasFailed = ended?.status === 'failed';
  const status = statusOf(ended);
  return {
    id,
    object: 'response',
    created_at: createdAt,
    status,
    error: hasFailed ? { code: 'server_error', message: failureText(ended.answer) } : null,
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    instructions,
    metadata,
    model,
    output: ended === undefined || hasFailed ? [] : [presentOutput(head, ended.answer)],
    parallel_tool_calls: false,
    previous_response_id: previousId,
    temperature: null,
    tool_choice: 'none',
    tools: [],
    top_p: null,
    usage: ended === undefined ? null : usageOf(ended),
    everturn: { chat_id: chatId, turn_id: turnId },
  };
}

/** Returns the message of an answer; without its text while it is written. */
function presentOutput({ turnId }: ResponseHead, answer?: EndedTurn['answer']): OutputMessage {
  return {
    type: 'message',
    id: `msg_${turnId}`,
    role: 'assistant',
    status: answer === undefined ? 'in_progress' : completionOf(answer),
    content: answer === undefined ? [] : [presentText(answer.content)],
  };
}

/** Returns the text of an answer. */
function presentText(text: string): OutputMessage['content'][number] {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function statusOf(ended: EndedTurn | undefined): Shown['status'] {
  if (ended === undefined) return 'in_progress';
  return ended.status === 'failed' ? 'failed' : completionOf(ended.answer);
}

function completionOf({ metadata }: EndedTurn['answer']): 'completed' | 'incomplete' {
  return isCutAnswer(metadata) ? 'incomplete' : 'completed';
}

function usageOf({ answer }: EndedTurn): Shown['usage'] {
  const usage = usageOfAnswer(answer.metadata);
  const { input_tokens, output_tokens, cached_input_tokens = 0, reasoning_tokens = 0 } = usage;
  return {
    input_tokens,
    // The official form cannot express an unknown number.
    input_tokens_details: { cached_tokens: cached_input_tokens, cache_write_tokens: 0 },
    output_tokens,
    output_tokens_details: { reasoning_tokens },
    total_tokens: input_tokens + output_tokens,
  };
}

/** Sends an answer as the events of OpenAI's responses: one message with one text. */
export class ResponseEvents {
  readonly #reply: SseReply;
  readonly #head: ResponseHead;
  readonly #text: { readonly item_id: string; readonly output_index: 0; readonly content_index: 0 };
  #count = 0;

  constructor(reply: SseReply, head: ResponseHead) {
    this.#reply = reply;
    this.#head = head;
    this.#text = { item_id: presentOutput(head).id, output_index: 0, content_index: 0 };
  }

  begin(): void {
    this.#reply.open();
    const response = presentResponse(this.#head);
    this.#send('response.created', { response });
    this.#send('response.in_progress', { response });
    this.#send('response.output_item.added', { output_index: 0, item: presentOutput(this.#head) });
    this.#send('response.content_part.added', { ...this.#text, part: presentText('') });
  }

  add(delta: string): void {
    this.#send('response.output_text.delta', { ...this.#text, delta, logprobs: [] });
  }

  /** Ends the stream with the stored answer, or with why there is none. */
  end(turn: EndedTurn): void {
    const response = presentResponse(this.#head, turn);
    const [item] = response.output;
    if (item === undefined) this.#send('response.failed', { response });
    else {
      const { content: text } = turn.answer;
      this.#send('response.output_text.done', { ...this.#text, text, logprobs: [] });
      this.#send('response.content_part.done', { ...this.#text, part: presentText(text) });
      this.#send('response.output_item.done', { output_index: 0, item });
      this.#send(response.status === 'incomplete' ? 'response.incomplete' : 'response.completed', { response });
    }
    this.#reply.end();
  }

  #send(type: string, fields: object): void {
    this.#reply.send(type, { type, sequence_number: this.#count, ...fields });
    this.#count += 1;
  }
}
