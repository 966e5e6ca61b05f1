import { z } from 'zod';
import { READING_METHODS } from '../../../../domain/network/http-headers.ts';
import { maskSecrets } from '../../../../domain/secrets.ts';
import { defineTool } from '../../define-tool.ts';
import { type BuiltRequest, describeRequest, presentAnswer, sendRequest } from '../../requests/send-request.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { propertiesParameter } from '../parameters.ts';
import { addressLabel } from './fetch-text.ts';

const MAX_TEXT = 8_192;
const MAX_VALUES = 200;
const scalar = z.union([z.string(), z.number(), z.boolean()]);

const parameters = z.strictObject({
  url: z.string().min(1).max(MAX_TEXT).describe('Address, beginning with https:// or http://.'),
  method: z
    .enum(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])
    .optional()
    .describe('GET when left out.'),
  headers: propertiesParameter(z.string().max(MAX_TEXT), 64).optional().describe('Headers by name.'),
  query: propertiesParameter(z.union([scalar, z.array(scalar).max(MAX_VALUES)]), MAX_VALUES)
    .optional()
    .describe('Query parameters, added encoded; an array gives one several times.'),
  body: z.unknown().optional().describe('A text is sent as it is, any other value as JSON.'),
  timeout_s: z.int().min(1).max(120).optional().describe('Seconds to wait for the whole answer; 30 when left out.'),
  follow_redirects: z.boolean().optional().describe('Whether redirects are followed; true when left out.'),
  idempotency_key: z
    .string()
    .min(1)
    .max(255)
    .regex(/^[\x21-\x7e]+$/)
    .optional()
    .describe(
      'Sent as the header Idempotency-Key. Give one when the receiver honours it: a request that changes something is repeated after a crash only with one.',
    ),
});

/** Arguments of `http_request`. */
type HttpArguments = z.output<typeof parameters>;

const KEY_HEADER = 'idempotency-key';

/** Makes one HTTP request. */
export const httpRequest = defineTool({
  key: 'http_request',
  name: 'HTTP request',
  description:
    'Makes one HTTP request to a public address and answers status, headers and body. Private and internal addresses cannot be reached.',
  category: 'web',
  parameters,
  effect: 'once',
  approval: 'writes',
  timeoutSeconds: 130,
  effectOf: effectOfRequest,
  label: ({ method = 'GET', url }) => `${method} ${addressLabel(url)}`,
  describe: async (args) => ({
    details: describeRequest(buildRequest(parameters.parse(maskSecrets(args)))),
    basis: null,
  }),
  run: async (args, context) => {
    const answer = await sendRequest(buildRequest(args), effectOfRequest(args), context);
    return { value: presentAnswer(answer), isForeign: true };
  },
});

const TIMEOUT_S = 30;
const MAX_BYTES = 2 * 1024 * 1024;

/** Builds the request that the arguments describe. */
function buildRequest(args: HttpArguments): BuiltRequest {
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
function effectOfRequest(args: HttpArguments): 'read' | 'keyed' | 'once' {
  if (READING_METHODS.has(args.method ?? 'GET')) return 'read';
  return keyOf(args) === undefined ? 'once' : 'keyed';
}

function keyOf({ idempotency_key: key, headers = {} }: HttpArguments): string | undefined {
  const header = Object.entries(headers).find(([name]) => name.toLowerCase() === KEY_HEADER)?.[1];
  return key ?? (header?.trim() === '' ? undefined : header);
}
