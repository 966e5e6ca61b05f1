import type { EndedTurn } from '../../db/turns/index.ts';
import type { SseReply } from '../http/sse-reply.ts';
import { presentOutput, presentResponse, presentText, type ResponseHead } from './present-response.ts';

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
