import { setTimeout as sleep } from 'node:timers/promises';
import type { CallDetail } from '../../../domain/approvals.ts';
import { parseForeignJson } from '../../../domain/core/foreign-json.ts';
import { isObject } from '../../../domain/core/objects.ts';
import { retryAfterMs } from '../../../domain/network/http-headers.ts';
import { isSecretName, maskSecrets } from '../../../domain/secrets.ts';
import { encodingNotice, readText } from '../../core/texts/read-text.ts';
import { type GuardedResponse, HttpFailure, type ToolContext, type Trust } from '../context.ts';
import { ToolFailure } from '../tool-failure.ts';
import type { RunEffect } from '../tool.ts';

/** The pauses before a harmless or keyed request is sent again. */
const RETRY_AFTER_MS = [500, 2_000];

/** A response, and whether the request had been sent before. */
export interface SentResponse extends GuardedResponse {
  readonly isResent: boolean;
}

const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Sends a request, and again where that is harmless and may help. Throws `ToolFailure` when it brought no response. */
export async function sendRequest(
  request: BuiltRequest,
  effect: RunEffect,
  context: Pick<ToolContext, 'http' | 'signal'>,
): Promise<SentResponse> {
  try {
    return await send(request, context, effect === 'once' ? [] : RETRY_AFTER_MS);
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    const isUncertain = effect !== 'read' && error.mayHaveArrived;
    throw new ToolFailure(error.kind, error.message, { cause: error, isUncertain });
  }
}

async function send(
  request: BuiltRequest,
  { http, signal }: Pick<ToolContext, 'http' | 'signal'>,
  waits: readonly number[],
): Promise<SentResponse> {
  const deadline = performance.now() + request.timeoutMs;
  for (const [tries, waitMs] of waits.entries()) {
    const outcome = await tryOnce(() => http.request({ ...request, signal }));
    const pauseMs = outcome instanceof HttpFailure ? waitMs : Math.max(waitMs, retryAfterMs(outcome.headers) ?? 0);
    if (!isPassing(outcome) || performance.now() + pauseMs > deadline) {
      if (outcome instanceof HttpFailure) throw outcome;
      return { ...outcome, isResent: tries > 0 };
    }
    await sleep(pauseMs, undefined, { signal });
  }
  const timeoutMs = Math.max(1, Math.ceil(deadline - performance.now()));
  const response = await http.request({ ...request, timeoutMs, signal });
  return { ...response, isResent: waits.length > 0 };
}

async function tryOnce(work: () => Promise<GuardedResponse>): Promise<GuardedResponse | HttpFailure> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HttpFailure) return error;
    throw error;
  }
}

// A lost connection, or a response that asks for a retry.
function isPassing(outcome: GuardedResponse | HttpFailure): boolean {
  if (outcome instanceof HttpFailure) return outcome.kind === 'upstream' && outcome.mayHaveArrived;
  return PASSING.has(outcome.status);
}

/** A request ready to be sent. */
export interface BuiltRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  readonly followRedirects: boolean;
  /** Whether a redirect to this address may be followed; any unless given. */
  readonly mayFollow?: ((url: string) => boolean) | undefined;
  readonly trust?: Trust | undefined;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** Returns the parts of a request for a person: of headers the names alone, since the values may be secret. */
export function describeRequest({
  method,
  url,
  headers,
  body,
}: Pick<BuiltRequest, 'method' | 'url' | 'headers' | 'body'>): readonly CallDetail[] {
  const names = Object.keys(headers).join(', ');
  return [
    { label: 'Method', value: method },
    { label: 'Address', value: url },
    ...(names === '' ? [] : [{ label: 'Headers', value: names }]),
    ...(typeof body === 'string' ? [{ label: 'Body', value: maskBody(body) }] : []),
  ];
}

// A definition may contain secrets of its own. The parameters of a form are masked as those of an address are.
function maskBody(body: string): string {
  const read = parseForeignJson(body, { isExact: true });
  if ('value' in read && isObject(read.value)) return JSON.stringify(maskSecrets(read.value));
  return String(maskSecrets({ body: `?${body}` })['body']).slice(1);
}

const TEXT_TYPE = /^text\/|[/+](?:json|xml|yaml|javascript|x-www-form-urlencoded|x-ndjson|graphql)\b/i;

/** Formats a response as text: status, address and headers without secrets, and the body as far as it is text. */
export function presentAnswer({ status, headers, body, finalUrl, isTruncated }: GuardedResponse): string {
  const lines = [...headers].map(([name, value]) => `${name}: ${isSecretName(name) ? '***' : value}`);
  const head = [`HTTP status ${status}`, `address: ${addressOf(finalUrl)}`, ...lines].join('\n');
  const cut = isTruncated ? `\n[The body is longer; only its first ${body.length} bytes were read.]` : '';
  const { text, notice } = readBody(body, headers.get('content-type') ?? '');
  return `${head}\n\n${text}${cut}${notice === undefined ? '' : `\n${notice}`}`;
}

function addressOf(url: string): string {
  return String(maskSecrets({ url })['url']);
}

/** Returns a body as text, as far as it is text. */
export function bodyText(body: Buffer, type: string): string {
  return readBody(body, type).text;
}

/** Returns a body as text, as far as it is text, with a notice when its encoding is uncertain. */
export function readBody(body: Buffer, type: string): { readonly text: string; readonly notice?: string | undefined } {
  if (body.length === 0) return { text: '' };
  const read = readText(body, type);
  if (!TEXT_TYPE.test(type) && read.text.slice(0, 8_192).includes('\u0000')) {
    return { text: `[${body.length} bytes that are not text]` };
  }
  return { text: read.text, notice: encodingNotice(read) };
}
