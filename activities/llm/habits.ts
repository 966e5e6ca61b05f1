import { LRUCache } from 'lru-cache';
import { supportsTemperature } from '../../builtin/index.ts';
import type { ModelRequest } from './model-adapter.ts';
import type { ReportedError } from './failures/reported-error.ts';
import type { Habits } from './wire-format.ts';

const MAX_KNOWN = 1_000;

/** What this process has learned of models that refuse a part of a request. */
export class KnownHabits {
  readonly #learned = new LRUCache<string, Habits>({ max: MAX_KNOWN });

  of(request: ModelRequest): Habits {
    const { account, model } = request;
    return (
      this.#learned.get(keyOf(request)) ?? {
        refusesTemperature: supportsTemperature(model, account.providerType) === false,
        // OpenAI's reasoning models take no other name for the limit; most other servers know only the older one.
        wantsCompletionLimit: account.providerType === 'openai',
        refusesState: false,
      }
    );
  }

  /** The habits that a refusal shows, or undefined when it shows nothing new. */
  learn(error: ReportedError, request: ModelRequest, known: Habits): Habits | undefined {
    const hasState = request.messages.some((message) => message.role === 'assistant' && message.state !== undefined);
    const shown = shownBy(error, known, hasState);
    // A state is refused once for what it holds, not for ever.
    if (shown !== undefined) this.#learned.set(keyOf(request), { ...shown, refusesState: false });
    return shown;
  }
}

function keyOf({ account, model }: ModelRequest): string {
  return `${account.providerType} ${account.baseUrl ?? ''} ${model}`;
}

function shownBy({ status, message }: ReportedError, known: Habits, hasState: boolean): Habits | undefined {
  if (status !== 400 && status !== 422) return undefined;
  if (!known.refusesTemperature && /temperature/i.test(message)) return { ...known, refusesTemperature: true };
  if (!known.wantsCompletionLimit && /max_completion_tokens/.test(message))
    return { ...known, wantsCompletionLimit: true };
  if (hasState && !known.refusesState && /signature|thinking|reasoning_content/i.test(message))
    return { ...known, refusesState: true };
  return undefined;
}
