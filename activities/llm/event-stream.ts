import { ProviderFailure } from './provider-failure.ts';

/**
 * The response as a stream of events. Some servers answer with one whole JSON document though they were asked to stream:
 * that becomes a stream of one chunk. Throws `ProviderFailure` for what is no answer of a model at all.
 */
export async function expectEventStream(response: Response): Promise<Response> {
  if (response.status >= 300 && response.status < 400) {
    throw new ProviderFailure(
      `answered with a redirect (HTTP ${response.status}), which is not followed. Check the account's base_url`,
    );
  }
  if (!response.ok) return response;
  const type = (response.headers.get('content-type') ?? '').toLowerCase();
  if (type.startsWith('text/event-stream')) return response;
  if (/^application\/([\w.+-]+\+)?json\b/.test(type)) return toStream(await response.text());
  const what = type.startsWith('text/html') ? 'a web page' : `"${type.slice(0, 60)}"`;
  throw new ProviderFailure(
    `answered with ${what} where a stream of the answer was expected. Check the account's base_url`,
  );
}

interface WholeAnswer {
  readonly error?: unknown;
  readonly choices?: readonly { readonly message?: unknown }[];
}

function toStream(text: string): Response {
  const answer = readAnswer(text);
  if (answer?.error == null && !Array.isArray(answer?.choices)) {
    throw new ProviderFailure("answered with JSON that is no chat completion. Check the account's base_url");
  }
  const choices = answer.choices?.map(({ message, ...choice }) => ({ delta: message, ...choice }));
  return new Response(`data: ${JSON.stringify({ ...answer, choices })}\n\ndata: [DONE]\n\n`, {
    headers: { 'content-type': 'text/event-stream' },
  });
}

function readAnswer(text: string): WholeAnswer | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
