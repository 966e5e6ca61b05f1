import { LRUCache } from 'lru-cache';
import { supportsTemperature } from '../../builtin/index.ts';
import type { ModelRequest } from './model-adapter.ts';
import { ReportedError } from './failures/reported-error.ts';
import type { ModelQuirks } from './wire-format.ts';

const MAX_KNOWN = 1_000;

/** Remembers which parts of a request models turned out to reject. */
export class KnownQuirks {
  readonly #learned = new LRUCache<string, ModelQuirks>({ max: MAX_KNOWN });

  /**
   * Attempts a request, and again without the parts that the model turns out to reject. Each round adds a quirk, so
   * this ends.
   */
  async adapt<T>(request: ModelRequest, attempt: (known: ModelQuirks) => Promise<T>): Promise<T> {
    let known = this.#of(request);
    for (;;) {
      try {
        return await attempt(known);
      } catch (error) {
        const shown = error instanceof ReportedError ? this.#learn(error, request, known) : undefined;
        if (shown === undefined) throw error;
        known = shown;
      }
    }
  }

  #of(request: ModelRequest): ModelQuirks {
    const { account, model } = request;
    return (
      this.#learned.get(keyOf(request)) ?? {
        rejectsTemperature: supportsTemperature(model, account.providerType) === false,
        // OpenAI's reasoning models accept only this name for the limit; most other servers know only the older one.
        wantsCompletionLimit: account.providerType === 'openai',
        rejectsState: false,
      }
    );
  }

  /** Returns the quirks that an error reveals, or undefined when it reveals nothing new. */
  #learn(error: ReportedError, request: ModelRequest, known: ModelQuirks): ModelQuirks | undefined {
    const hasState = request.messages.some((message) => message.role === 'assistant' && message.state !== undefined);
    const shown = shownBy(error, known, hasState);
    // A state is rejected for what it holds this once, not for ever.
    if (shown !== undefined) this.#learned.set(keyOf(request), { ...shown, rejectsState: false });
    return shown;
  }
}

function keyOf({ account, model }: ModelRequest): string {
  return `${account.providerType} ${account.baseUrl ?? ''} ${model}`;
}

function shownBy({ status, message }: ReportedError, known: ModelQuirks, hasState: boolean): ModelQuirks | undefined {
  if (status !== 400 && status !== 422) return undefined;
  if (!known.rejectsTemperature && /temperature/i.test(message)) return { ...known, rejectsTemperature: true };
  if (!known.wantsCompletionLimit && /max_completion_tokens/.test(message))
    return { ...known, wantsCompletionLimit: true };
  if (hasState && !known.rejectsState && /signature|thinking|reasoning_content/i.test(message))
    return { ...known, rejectsState: true };
  return undefined;
}
