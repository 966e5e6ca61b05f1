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

/**
 * Appends a path to an account's `base_url` and keeps its query. An invalid address is left for the guard to reject.
 */
export function endpoint(baseUrl: string, path: string, query: Readonly<Record<string, string>> = {}): string {
  if (!URL.canParse(baseUrl)) return baseUrl + path;
  const url = new URL(baseUrl);
  url.pathname = withoutSlash(url.pathname) + path;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

/** Returns the address with the version that a wire format's paths begin with; people write it or leave it out. */
export function withVersion(baseUrl: string, version: string): string {
  if (!URL.canParse(baseUrl)) return baseUrl;
  const url = new URL(baseUrl);
  const path = withoutSlash(url.pathname);
  url.pathname = /\/v\d+(?:(?:alpha|beta)\d*)?$/.test(path) ? path : `${path}/${version}`;
  return url.href;
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, '');
}
