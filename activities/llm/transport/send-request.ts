import { Unreachable } from '../failures/describe-failure.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';

interface WithHeaders {
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Sends a request to a provider in one of the guarded ways. No header tells of this machine. Throws `Unreachable` when
 * no response begins.
 */
export async function sendRequest<Init extends WithHeaders, Answer>(
  send: (url: string, init: Init) => Promise<Answer>,
  url: string,
  init: Init,
): Promise<Answer> {
  const isSendable = Object.values(init.headers).every((value) => /^[\x20-\x7E]*$/.test(value));
  if (!isSendable) {
    throw new ProviderFailure("has an API key with characters that no key has. Check the account's API key", {
      kind: 'credentials',
    });
  }
  try {
    return await send(url, { ...init, headers: { 'user-agent': 'everturn', accept: '*/*', ...init.headers } });
  } catch (error) {
    throw new Unreachable('no response began', { cause: error });
  }
}
