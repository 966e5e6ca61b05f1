import { setTimeout as sleep } from 'node:timers/promises';
import { type GuardedResponse, HttpFailure } from '../../../core/guarded-http.ts';
import { isSecretName } from '../../../core/secret-names.ts';
import { ToolFailure } from '../../tool-failure.ts';
import type { ToolArguments, ToolContext, ToolImplementation } from '../../tool.ts';

type QueryValue = string | number | boolean;

interface Arguments {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[]>>;
  readonly body?: unknown;
  readonly timeout_s?: number;
  readonly follow_redirects?: boolean;
  readonly idempotency_key?: string;
}

const TIMEOUT_S = 30;
const MAX_BYTES = 2 * 1024 * 1024;
const KEY_HEADER = 'idempotency-key';
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Waits before a request that changes nothing, or is recognised by its key, is sent once more. */
const RETRY_AFTER_MS = [500, 2_000];
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const TEXT_TYPE = /^text\/|[/+](?:json|xml|yaml|javascript|x-www-form-urlencoded|x-ndjson|graphql)\b/i;

/** Makes one HTTP request. */
export const httpRequest: ToolImplementation = {
  run: async (given, context) => {
    const args = given as unknown as Arguments;
    const request = buildRequest(args);
    const waits = effectOf(given) === 'once' ? [] : RETRY_AFTER_MS;
    const answer = await inWords(() => send(request, context, waits), effectOf(given) !== 'read');
    return { value: present(answer), isForeign: true };
  },
  effectOf,
  label: ({ method = 'GET', url }) => `${String(method)} ${originOf(String(url))}`,
};

function effectOf(given: ToolArguments): 'read' | 'keyed' | 'once' {
  const args = given as unknown as Arguments;
  if (READING.has(args.method ?? 'GET')) return 'read';
  return keyOf(args) === undefined ? 'once' : 'keyed';
}

function keyOf({ idempotency_key: key, headers = {} }: Arguments): string | undefined {
  const header = Object.entries(headers).find(([name]) => name.toLowerCase() === KEY_HEADER)?.[1];
  return key ?? (header?.trim() === '' ? undefined : header);
}

function originOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? url.slice(0, 100) : parsed.host;
}

interface BuiltRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly followRedirects: boolean;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

function buildRequest(args: Arguments): BuiltRequest {
  const { method = 'GET', body } = args;
  if (body !== undefined && READING.has(method)) {
    throw new ToolFailure('invalid_input', `A ${method} request has no body; use query for parameters`);
  }
  return {
    url: withQuery(args.url, args.query ?? {}),
    method,
    headers: withDefaults(args),
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    followRedirects: args.follow_redirects ?? true,
    timeoutMs: (args.timeout_s ?? TIMEOUT_S) * 1000,
    maxBytes: MAX_BYTES,
  };
}

function withQuery(text: string, query: NonNullable<Arguments['query']>): string {
  const url = URL.parse(text);
  if (url === null) throw new ToolFailure('invalid_input', 'url is not a valid address');
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(each));
  }
  return url.href;
}

function withDefaults(args: Arguments): Record<string, string> {
  const headers = { ...args.headers };
  const has = (wanted: string) => Object.keys(headers).some((name) => name.toLowerCase() === wanted);
  const key = keyOf(args);
  if (key !== undefined) {
    for (const name of Object.keys(headers)) if (name.toLowerCase() === KEY_HEADER) delete headers[name];
    headers['Idempotency-Key'] = key;
  }
  if (args.body !== undefined && !has('content-type')) {
    headers['Content-Type'] = typeof args.body === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
  }
  return headers;
}

async function send(
  request: BuiltRequest,
  { http, signal }: ToolContext,
  waits: readonly number[],
): Promise<GuardedResponse> {
  const deadline = performance.now() + request.timeoutMs;
  for (const waitMs of waits) {
    const outcome = await tryOnce(() => http.request({ ...request, signal }));
    const pauseMs = outcome instanceof HttpFailure ? waitMs : Math.max(waitMs, retryAfterMs(outcome));
    if (!isPassing(outcome) || performance.now() + pauseMs > deadline) {
      if (outcome instanceof HttpFailure) throw outcome;
      return outcome;
    }
    await sleep(pauseMs, undefined, { signal });
  }
  const timeoutMs = Math.max(1, Math.ceil(deadline - performance.now()));
  return http.request({ ...request, timeoutMs, signal });
}

async function tryOnce(work: () => Promise<GuardedResponse>): Promise<GuardedResponse | HttpFailure> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HttpFailure) return error;
    throw error;
  }
}

// A connection that was broken off, or an answer that asks to come again.
function isPassing(outcome: GuardedResponse | HttpFailure): boolean {
  if (outcome instanceof HttpFailure) return outcome.kind === 'upstream' && outcome.mayHaveArrived;
  return PASSING.has(outcome.status);
}

function retryAfterMs({ headers }: GuardedResponse): number {
  const seconds = Number(headers.get('retry-after') ?? 0);
  return Number.isFinite(seconds) ? seconds * 1000 : 0;
}

async function inWords<T>(work: () => Promise<T>, changesSomething: boolean): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    const isUncertain = changesSomething && error.mayHaveArrived;
    throw new ToolFailure(error.kind, error.message, { cause: error, isUncertain });
  }
}

function present({ status, headers, body, finalUrl, isTruncated }: GuardedResponse): string {
  const lines = [...headers].map(([name, value]) => `${name}: ${isSecretName(name) ? '***' : value}`);
  const head = [`HTTP status ${status}`, `address: ${finalUrl}`, ...lines].join('\n');
  const cut = isTruncated ? `\n[The body is longer; only its first ${body.length} bytes were read.]` : '';
  return `${head}\n\n${bodyText(body, headers.get('content-type') ?? '')}${cut}`;
}

function bodyText(body: Buffer, type: string): string {
  if (body.length === 0) return '';
  const charset = /charset="?([\w-]+)/i.exec(type)?.[1] ?? 'utf-8';
  if (!TEXT_TYPE.test(type) && body.subarray(0, 8_192).includes(0)) {
    return `[${body.length} bytes that are not text]`;
  }
  return decode(body, charset);
}

function decode(bytes: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return bytes.toString();
  }
}
