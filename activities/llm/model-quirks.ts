import { LRUCache } from 'lru-cache';
import { supportsTemperature } from '../../builtin/index.ts';
import type { ModelRequest } from './model-adapter.ts';
import { ReportedError } from './failures/reported-error.ts';
import type { ModelQuirks } from './wire-format.ts';

const MAX_KNOWN = 1_000;

/** The call whose request is adapted. */
interface AdaptedCall extends Pick<ModelRequest, 'account' | 'model'> {
  /** Whether its last request contained a state of earlier replies. */
  readonly hasState: () => boolean;
}

/** Remembers which parts of a request models turned out to reject. */
export class KnownQuirks {
  readonly #learned = new LRUCache<string, ModelQuirks>({ max: MAX_KNOWN });

  /**
   * Attempts a request, and again without the parts that the model turns out to reject. Each round adds a quirk, so
   * this ends.
   */
  async adapt<T>(call: AdaptedCall, attempt: (known: ModelQuirks) => Promise<T>): Promise<T> {
    let known = this.#of(call);
    for (;;) {
      try {
        return await attempt(known);
      } catch (error) {
        const shown = error instanceof ReportedError ? this.#learn(error, call, known) : undefined;
        if (shown === undefined) throw error;
        known = shown;
      }
    }
  }

  #of(call: AdaptedCall): ModelQuirks {
    const { account, model } = call;
    return (
      this.#learned.get(keyOf(call)) ?? {
        rejectsTemperature: supportsTemperature(model, account.providerType) === false,
        // OpenAI's reasoning models accept only this name for the limit; most other servers know only the older one.
        wantsCompletionLimit: account.providerType === 'openai',
        rejectsState: false,
        rejectsCache: false,
        rejectsStreamOptions: false,
      }
    );
  }

  /** Returns the quirks that an error reveals, or undefined when it reveals nothing new. */
  #learn(error: ReportedError, call: AdaptedCall, known: ModelQuirks): ModelQuirks | undefined {
    const shown = shownBy(error, known, call.hasState());
    // A state is rejected for its content this once, not for ever.
    if (shown !== undefined) this.#learned.set(keyOf(call), { ...shown, rejectsState: false });
    return shown;
  }
}

function keyOf({ account, model }: AdaptedCall): string {
  return `${account.providerType} ${account.baseUrl ?? ''} ${model}`;
}

interface QuirkSign {
  readonly quirk: keyof ModelQuirks;
  readonly words: RegExp;
  readonly statuses?: readonly number[];
}

/** The words by which an error reveals a quirk, the most certain first. */
const SIGNS: readonly QuirkSign[] = [
  { quirk: 'rejectsTemperature', words: /temperature/i },
  { quirk: 'wantsCompletionLimit', words: /max_completion_tokens/ },
  { quirk: 'rejectsStreamOptions', words: /stream_options|include_usage/ },
  // AWS denies access to a model that does not cache.
  { quirk: 'rejectsCache', words: /cache ?point|prompt caching/i, statuses: [400, 403] },
  { quirk: 'rejectsState', words: /signature|thinking|reasoning_?content/i },
];

function shownBy({ status, message }: ReportedError, known: ModelQuirks, hasState: boolean): ModelQuirks | undefined {
  const sign = SIGNS.find(
    ({ quirk, words, statuses = [400, 422] }) =>
      !known[quirk] &&
      status !== undefined &&
      statuses.includes(status) &&
      words.test(message) &&
      (quirk !== 'rejectsState' || hasState),
  );
  return sign === undefined ? undefined : { ...known, [sign.quirk]: true };
}
