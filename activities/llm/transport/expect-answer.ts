import type { ServerEvent } from './event-parser.ts';
import { type EventStreamOptions, readEventStream, readText } from './event-stream.ts';
import { asObject, parseJson } from './json.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';
import type { WireFormat } from '../wire-format.ts';

const MAX_TYPE_CHARACTERS = 200;

/**
 * Returns the events of a response, whether it streams or holds the whole reply as one JSON document. Throws
 * `ProviderFailure` for a response that is no model's reply at all.
 */
export async function expectAnswer(
  response: Response,
  format: WireFormat,
  options: EventStreamOptions,
): Promise<AsyncIterable<ServerEvent> | readonly ServerEvent[]> {
  const { status, body } = response;
  if (status >= 300) {
    await body?.cancel();
    throw misdirected(`answered with a redirect (HTTP ${status}), which is not followed`);
  }
  const type = (response.headers.get('content-type') ?? '').slice(0, MAX_TYPE_CHARACTERS).toLowerCase();
  if (body !== null && type.startsWith('text/event-stream')) return readEventStream(body, options);
  if (body !== null && isJson(type)) {
    return eventsOf(parseJson(await readText(body, options.onBytes)), format);
  }
  await body?.cancel();
  const what = type.startsWith('text/html') ? 'a web page' : `"${type.slice(0, 60)}"`;
  throw misdirected(`answered with ${what} where a stream of the answer was expected`);
}

function eventsOf(answer: unknown, format: WireFormat): ServerEvent[] {
  const isError = asObject(Array.isArray(answer) ? answer[0] : answer)['error'] != null;
  const chunks = isError ? [answer] : format.splitWhole(answer);
  if (chunks === undefined) throw misdirected(`answered with JSON that is no ${format.answerName}`);
  return chunks.map((chunk) => ({ name: '', data: JSON.stringify(chunk) }));
}

// Also the types derived from it, such as `application/problem+json`.
function isJson(type: string): boolean {
  const [essence = ''] = type.split(';', 1);
  const name = essence.trim();
  return name === 'application/json' || (name.startsWith('application/') && name.endsWith('+json'));
}

function misdirected(what: string): ProviderFailure {
  return new ProviderFailure(`${what}. Check the account's base_url`, { kind: 'outage' });
}
