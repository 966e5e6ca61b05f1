import type { GuardedFetch } from '../../core/guarded-fetch.ts';
import { Unreachable } from '../failures/describe-failure.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';

interface SentRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: NonNullable<RequestInit['body']> | null;
  readonly signal: AbortSignal | null;
}

/** Sends a request to a provider, with these headers and no others. Throws `Unreachable` when no response begins. */
export async function sendRequest(
  fetch: GuardedFetch,
  { url, method, headers, body, signal }: SentRequest,
): Promise<Response> {
  const isSendable = Object.values(headers).every((value) => /^[\x20-\x7E]*$/.test(value));
  if (!isSendable) {
    throw new ProviderFailure("has an API key with characters that no key has. Check the account's API key", {
      kind: 'credentials',
    });
  }
  try {
    return await fetch(url, { method, headers: { 'user-agent': 'everturn', ...headers }, body, signal });
  } catch (error) {
    throw new Unreachable('no response began', { cause: error });
  }
}
