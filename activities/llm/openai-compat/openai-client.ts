import type { OpenAI } from 'openai';
import type { GuardedFetch } from '../../core/network/guarded-fetch.ts';
import { readReportedError } from '../failures/reported-error.ts';
import type { ModelAccount } from '../model-adapter.ts';
import { keyHeaders } from '../sign-in.ts';
import { expectDocument, sendRequest } from '../transport/expect-answer.ts';
import { asList, asObject, asText } from '../transport/json.ts';

/**
 * Creates an OpenAI library client for an account, for all requests that are not streamed. Turns have a transport of
 * their own (docs/architecture.md says why). The worker's environment, where the library reads settings, has no
 * influence, and only Temporal retries. The library takes 30 MB, so it is loaded at first use.
 */
export async function createOpenAiClient(fetch: GuardedFetch, account: ModelAccount): Promise<OpenAI> {
  const library = await import('openai');
  return new library.OpenAI({
    baseURL: account.baseUrl ?? '',
    // The library requires a key even for servers without one; the sent header is decided below.
    apiKey: account.apiKey ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: 'off',
    maxRetries: 0,
    fetch: accountFetch(fetch, account),
  });
}

/** Returns the original error of a failed library call: the library wraps what the fetch below throws. */
export function causeOfClientError(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? error.cause : error;
}

/**
 * Creates the `fetch` of one account's client. Of the library's headers only the content type is kept: others describe
 * this machine, or come from `OPENAI_CUSTOM_HEADERS`. A response is bounded and validated before the library sees it;
 * errors have this service's messages.
 */
function accountFetch(fetch: GuardedFetch, account: ModelAccount): typeof globalThis.fetch {
  return async (address, { method = 'GET', headers, body = null, signal = null } = {}) => {
    const type = new Headers(headers).get('content-type');
    const url = address instanceof Request ? address.url : String(address);
    const response = await sendRequest(fetch, url, {
      method,
      headers: {
        accept: 'application/json',
        ...(type === null ? {} : { 'content-type': type }),
        ...keyHeaders(account),
      },
      body,
      signal,
    });
    if (response.status >= 400) throw await readReportedError(response);
    return Response.json(await expectDocument(response));
  };
}

const MAX_ID_CHARACTERS = 100;

/** Returns the ids of the models that an account's server lists; the server's data is not trusted. */
export async function listModels(client: OpenAI, signal: AbortSignal): Promise<readonly string[]> {
  const page: unknown = await client.models.list({ signal });
  const ids = asList(asObject(page)['data']).map((model) => asText(asObject(model)['id']));
  return ids.filter((id) => id !== '' && id.length <= MAX_ID_CHARACTERS);
}
