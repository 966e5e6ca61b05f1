import { Unreachable } from '../failures/describe-failure.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';
import type { StreamedResponse } from '../../core/network/guarded-fetch.ts';
import { AwsEventParser } from './aws-event-parser.ts';
import { type ServerEvent, ServerEventParser } from './event-parser.ts';
import { type EventStreamOptions, readEventStream, readText, type StreamParser } from './event-stream.ts';
import { type JsonLimits, type JsonOptions, parseJson } from './json.ts';
import { errorInside, ReportedError } from '../failures/reported-error.ts';
import type { WireFormat } from '../wire-format.ts';

const MAX_TYPE_CHARACTERS = 200;
const STREAM_TYPES = { sse: 'text/event-stream', aws_event_stream: 'application/vnd.amazon.eventstream' } as const;

/** The server began a stream where one document was requested. */
export class StreamedAnswer extends Error {
  override readonly name = 'StreamedAnswer';
}

/**
 * Returns the events of a response, whether it streams or is the whole reply as one JSON document. Throws
 * `ProviderFailure` for a response that is no model's reply at all.
 */
export async function expectAnswer(
  response: StreamedResponse,
  format: WireFormat,
  options: EventStreamOptions,
): Promise<AsyncIterable<ServerEvent> | readonly ServerEvent[]> {
  const type = await typeOf(response);
  if (response.body !== null && type.startsWith(STREAM_TYPES[format.decode ?? 'sse']))
    return readEventStream(response.body, createParser(format), options);
  const { onBytes } = options;
  const expected = 'a stream of the answer';
  const answer = await readDocument(response, { type, expected, onBytes, json: { isExact: true } });
  const chunks = errorInside(answer) != null ? [answer] : format.splitWhole(answer);
  if (chunks === undefined) throw misdirected(`responded with JSON that is no ${format.answerName}`);
  return chunks.map((chunk) => ({ name: '', data: JSON.stringify(chunk) }));
}

/**
 * Returns the JSON document of a response. Throws `StreamedAnswer`, `ReportedError` or `ProviderFailure` for anything
 * else.
 */
export async function expectDocument(response: StreamedResponse, limits?: JsonLimits): Promise<unknown> {
  const type = await typeOf(response);
  if (type.startsWith(STREAM_TYPES.sse)) {
    await response.body?.cancel();
    throw new StreamedAnswer('a stream began');
  }
  const onBytes = () => undefined;
  const answer = await readDocument(response, { type, expected: 'a JSON document', onBytes, json: limits });
  if (errorInside(answer) != null) throw new ReportedError(answer);
  if (answer === undefined) throw misdirected('answered with something that is not JSON');
  return answer;
}

async function typeOf({ status, headers, body }: StreamedResponse): Promise<string> {
  if (status < 300) return (headers.get('content-type') ?? '').slice(0, MAX_TYPE_CHARACTERS).toLowerCase();
  await body?.cancel();
  throw misdirected(`responded with a redirect (HTTP ${status}), which is not followed`);
}

interface Expected {
  readonly type: string;
  readonly expected: string;
  readonly onBytes: () => void;
  readonly json?: JsonOptions | undefined;
}

async function readDocument({ body }: StreamedResponse, { type, expected, onBytes, json }: Expected): Promise<unknown> {
  if (body !== null && isJson(type)) return parseJson(await readText(body, onBytes, json?.maxBytes), json);
  await body?.cancel();
  const what = type.startsWith('text/html') ? 'a web page' : `"${type.slice(0, 60)}"`;
  throw misdirected(`answered with ${what} where ${expected} was expected`);
}

function createParser({ decode }: WireFormat): StreamParser {
  return decode === 'aws_event_stream' ? new AwsEventParser() : new ServerEventParser();
}

// Also the types derived from it, such as `application/problem+json`.
function isJson(type: string): boolean {
  const [essence = ''] = type.split(';', 1);
  const name = essence.trim();
  return name === 'application/json' || (name.startsWith('application/') && name.endsWith('+json'));
}

/** Makes the failure for an address that does not serve a model. */
export function misdirected(what: string): ProviderFailure {
  return new ProviderFailure(`${what}. Check the account's base_url`, { kind: 'outage' });
}

interface WithHeaders {
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Sends a request to a provider in one of the guarded ways. No header identifies this machine. Throws `Unreachable`
 * when no response begins.
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
