import { READING_METHODS } from '../../../../domain/network/index.ts';
import type { BuiltRequest } from '../../requests/built-request.ts';
import { ToolFailure } from '../../tool-failure.ts';
import type { HttpArguments } from './http-request.ts';

const TIMEOUT_S = 30;
const MAX_BYTES = 2 * 1024 * 1024;
const KEY_HEADER = 'idempotency-key';

/** Builds the request that the arguments describe. */
export function buildRequest(args: HttpArguments): BuiltRequest {
  const { method = 'GET', body } = args;
  if (body !== undefined && READING_METHODS.has(method)) {
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

function withQuery(text: string, query: NonNullable<HttpArguments['query']>): string {
  const url = URL.parse(text);
  if (url === null) throw new ToolFailure('invalid_input', 'url is not a valid address');
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(each));
  }
  return url.href;
}

function withDefaults(args: HttpArguments): Record<string, string> {
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

/** Returns the effect of sending the request again. */
export function effectOfRequest(args: HttpArguments): 'read' | 'keyed' | 'once' {
  if (READING_METHODS.has(args.method ?? 'GET')) return 'read';
  return keyOf(args) === undefined ? 'once' : 'keyed';
}

function keyOf({ idempotency_key: key, headers = {} }: HttpArguments): string | undefined {
  const header = Object.entries(headers).find(([name]) => name.toLowerCase() === KEY_HEADER)?.[1];
  return key ?? (header?.trim() === '' ? undefined : header);
}
