import type { GuardedFetch } from '../../core/network/guarded-fetch.ts';
import { toProviderFailure } from '../failures/describe-failure.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';
import { readReportedError } from '../failures/reported-error.ts';
import type { ChosenModel } from '../model-of-account.ts';
import { keyHeaders } from '../sign-in/key-headers.ts';
import type { AccountSignIn } from '../sign-in/sign-in.ts';
import { CallDeadline, type CallLimits } from '../transport/call-limits.ts';
import { endpoint } from '../transport/endpoint.ts';
import { expectDocument } from '../transport/expect-answer.ts';
import { sendRequest } from '../transport/send-request.ts';

/** The only wire format that is spoken here; of Google's own there are no pictures and no speech. */
const FORMAT = 'openai_compat';

/** A picture may be minutes in the making before the first byte of it comes. */
export const MEDIA_LIMITS: CallLimits = { firstByteMs: 180_000, idleMs: 60_000, totalMs: 240_000 };

/** The pictures of a call as Base64 are the largest answers. */
const MAX_ANSWER = { maxBytes: 24 * 1024 * 1024, maxValues: 200_000 };

/** A request in OpenAI's format; a form is sent as such, and all else as JSON. */
interface MediaRequest {
  readonly path: string;
  readonly body: FormData | Readonly<Record<string, unknown>>;
}

/** Calls a model for pictures or speech, once. Throws `ProviderFailure`. */
export type MediaCall = <T>(
  chosen: ChosenModel,
  request: MediaRequest,
  read: (answer: unknown) => T,
  stop: AbortSignal,
) => Promise<T>;

/** Makes what calls models for pictures and speech. */
export function createMediaCall(fetch: GuardedFetch, signIns: AccountSignIn, limits = MEDIA_LIMITS): MediaCall {
  return async ({ account, model, streamType }, { path, body }, read, stop) => {
    const deadline = new CallDeadline(limits, stop);
    try {
      if (streamType !== FORMAT)
        throw new ProviderFailure('offers no pictures and no speech here: choose an account of another provider');
      const isForm = body instanceof FormData;
      const response = await signIns.using(account, deadline.signal, async (signedIn) => {
        const answer = await sendRequest(fetch, endpoint(account.baseUrl ?? '', path), {
          method: 'POST',
          headers: {
            accept: 'application/json',
            ...(!isForm && { 'content-type': 'application/json' }),
            ...keyHeaders(signedIn),
          },
          body: isForm ? body : JSON.stringify(body),
          signal: deadline.signal,
        });
        deadline.sawBytes();
        if (answer.status >= 400) throw await readReportedError(answer);
        return answer;
      });
      return read(await expectDocument(response, MAX_ANSWER));
    } catch (error) {
      if (stop.aborted) throw error;
      throw toProviderFailure(error, { account, model }, deadline.signal.reason);
    } finally {
      deadline.close();
    }
  };
}
