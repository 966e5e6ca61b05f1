import { TextBuffer, toStorableText } from '../../../domain/core/text.ts';
import { FenceSplitter } from '../../../domain/tool-calls/fence-splitter.ts';
import { type ReadCall, readCall } from '../../../domain/tool-calls/read-call.ts';
import { MAX_ANSWER_CHARACTERS, type TokenUsage } from '../../../domain/turns.ts';
import type { Ending, ModelEvent, NativeCall } from '../../llm/model-adapter.ts';
import { ProviderFailure } from '../../llm/failures/provider-failure.ts';
import type { StepAttempt } from './step-attempt.ts';

/**
 * The fences in a reply that are calls: `all` where the prompt asks to call by them, otherwise those of certain tools.
 */
export type TakenFences = 'all' | ReadonlySet<string>;

/** Reads a model's reply, shows its text, and collects the result. */
export class ReplyReader {
  readonly #attempt: StepAttempt;
  readonly #fences: FenceSplitter | undefined;
  readonly #nativeCalls: NativeCall[] = [];
  readonly #raw = new TextBuffer();
  #room: number;
  /** When the first text or call came, in milliseconds since 1970. */
  firstAt: number | undefined;
  state: unknown;
  usage: TokenUsage | undefined;
  /** How a complete reply has ended. */
  ending: Ending | undefined;
  /** The calls of a complete reply: those in its text first. */
  calls: readonly ReadCall[] = [];

  constructor(attempt: StepAttempt, fences: TakenFences) {
    this.#attempt = attempt;
    if (fences === 'all') this.#fences = new FenceSplitter();
    else if (fences.size > 0) this.#fences = new FenceSplitter(fences);
    this.#room = MAX_ANSWER_CHARACTERS - attempt.answer.length;
  }

  /** The model's text, including calls in it. */
  get rawText(): string {
    return this.#raw.text;
  }

  /** Why a complete reply has ended, as it is stored. */
  get finishReason(): string | undefined {
    return this.ending?.word ?? this.ending?.reason;
  }

  /** Reads a whole reply. Throws what the model's adapter throws; everything before that is kept. */
  async read(events: AsyncIterable<ModelEvent>): Promise<void> {
    for await (const event of events) this.#take(event);
    const { visible, calls } = this.#fences?.end() ?? { visible: '', calls: [] };
    this.#show(visible);
    this.calls = [...calls, ...this.#nativeCalls].map(readCall);
  }

  #take(event: ModelEvent): void {
    if (event.type === 'text' || event.type === 'tool_call') this.firstAt ??= Date.now();
    switch (event.type) {
      case 'text':
        return this.#takeText(event.text);
      case 'tool_call':
        this.#nativeCalls.push(event.call);
        return;
      case 'state':
        this.state = event.data;
        return;
      case 'usage':
        this.usage = event.usage;
        return;
      case 'end':
        this.ending = event;
    }
  }

  #takeText(text: string): void {
    const kept = toStorableText(text.slice(0, Math.max(this.#room, 0)));
    this.#room -= text.length;
    this.#raw.add(kept);
    this.#show(this.#fences?.push(kept) ?? kept);
    if (this.#room < 0) {
      throw new ProviderFailure(`The answer was longer than ${MAX_ANSWER_CHARACTERS.toLocaleString('en')} characters`);
    }
  }

  #show(visible: string): void {
    this.#attempt.show(visible);
  }
}
