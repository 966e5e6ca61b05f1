import type { OpenAI } from 'openai';
import type { GuardedFetch } from '../../core/guarded-fetch.ts';
import { readReportedError } from '../failures/reported-error.ts';
import type { ModelAccount } from '../model-adapter.ts';
import { expectDocument } from '../transport/expect-answer.ts';
import { sendRequest } from '../transport/send-request.ts';

/**
 * Creates the client of OpenAI's library for an account: for everything that is not streamed. Turns have a transport of their
 * own (docs/architecture.md says why). Nothing of the worker's environment, where the library looks for settings, takes part,
 * and Temporal alone repeats what is worth repeating. The library takes 30 MB, so it is loaded when it is first asked for.
 */
export async function createOpenAiClient(fetch: GuardedFetch, account: ModelAccount): Promise<OpenAI> {
  const library = await import('openai');
  return new library.OpenAI({
    baseURL: account.baseUrl ?? '',
    // It wants one, also of servers that want none; what is sent is decided below.
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

/** Returns what made a call of the library fail: what the fetch below threw, which the library wraps. */
export function causeOfClientError(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? error.cause : error;
}

/**
 * Returns the `fetch` of one account's client. Of the headers that the library makes only the type of the body is kept: others
 * describe this machine, or come from `OPENAI_CUSTOM_HEADERS`. An answer is bounded and held against what it should be
 * before the library sees it; errors are thrown in the words of this service.
 */
function accountFetch(fetch: GuardedFetch, { apiKey }: ModelAccount): typeof globalThis.fetch {
  return async (address, { method = 'GET', headers, body = null, signal = null } = {}) => {
    const type = new Headers(headers).get('content-type');
    const response = await sendRequest(fetch, {
      url: address instanceof Request ? address.url : String(address),
      method,
      headers: {
        accept: 'application/json',
        ...(type === null ? {} : { 'content-type': type }),
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body,
      signal,
    });
    if (response.status >= 400) throw await readReportedError(response);
    return Response.json(await expectDocument(response));
  };
}
