import { parseForeignJson } from '../../../../domain/core/foreign-json.ts';
import {
  authorizationHeaders,
  authorizationPath,
  integrationKind,
  isWithin,
  type Secrets,
} from '../../../../domain/integrations/index.ts';
import type { Trust } from '../../../core/network/guarded-connect.ts';
import type { GuardedHttp, GuardedResponse } from '../../../core/network/guarded-http.ts';
import { askedWaitMs } from '../../../core/network/rate-limit.ts';
import type { SecretMask } from '../../../core/secret-mask.ts';
import { bodyText } from '../../builtin/web/present-answer.ts';
import { sendRequest } from '../../builtin/web/send-request.ts';
import type { ServiceAnswer, ServiceRequest } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';
import type { RunEffect } from '../../tool.ts';
import type { ServiceAccount } from './open-service.ts';
import { serviceFailure } from './service-failure.ts';

/** What requests to a service are sent with. */
export interface ServiceTarget {
  readonly account: ServiceAccount;
  readonly secrets: Secrets;
  readonly mask: SecretMask;
  readonly http: GuardedHttp;
  readonly signal: AbortSignal;
  /** For a server whose certificate no public authority signs, or that asks for one. */
  readonly trust?: Trust | undefined;
}

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 4 * 1024 * 1024;
/** Values of one answer: pages of a hundred records with all their fields have thousands. */
const MAX_VALUES = 200_000;

/**
 * Sends a request with the credentials of an integration, to its address and below it only. Throws `ToolFailure` with
 * the words of the service, and notes with the integration when its credentials were rejected.
 */
export async function sendToService(target: ServiceTarget, request: ServiceRequest): Promise<ServiceAnswer> {
  const { account, mask } = target;
  const response = await send(target, request);
  const { status, headers, body, isTruncated } = response;
  const text = mask.mask(bodyText(body, headers.get('content-type') ?? ''));
  const service = integrationKind(account.kind).name;
  if (status === 401) await account.noteUse(`${service} has rejected the credentials (status 401)`);
  if (status < 300) await account.noteUse(null);
  if (status >= 300 && request.accepts?.includes(status) !== true) {
    const waitMs = askedWaitMs(response, Date.now());
    throw serviceFailure({ status, text, waitMs }, { service, effect: request.effect });
  }
  if (isTruncated)
    throw new ToolFailure(
      'upstream',
      `The answer of ${account.name} is larger than ${body.length} bytes: ask for less`,
      {
        isUncertain: request.effect === 'once',
      },
    );
  return { status, headers, bytes: body, text, json: () => jsonOf(text, account.name, request.effect) };
}

async function send(target: ServiceTarget, request: ServiceRequest): Promise<GuardedResponse> {
  const { account, http, signal, trust } = target;
  const { method = 'GET', effect, timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES, json } = request;
  const sent = {
    url: request.to === undefined ? urlBelow(target, request) : urlOf(request.to, target, request),
    method,
    headers: {
      ...integrationKind(account.kind).headers,
      ...(request.to === undefined && authorizationOf(target)),
      ...(json !== undefined && { 'Content-Type': 'application/json' }),
      ...request.headers,
    },
    body: json === undefined ? request.body : JSON.stringify(json),
    trust,
    // Credentials go to no address that nobody has named.
    followRedirects: false,
    timeoutMs,
    maxBytes,
  };
  return sendRequest(sent, effect, { http, signal });
}

function authorizationOf({ account, secrets }: ServiceTarget): Readonly<Record<string, string>> {
  const headers = authorizationHeaders(integrationKind(account.kind), secrets);
  if (headers === undefined) throw lacksCredentials(account);
  return headers;
}

function urlBelow({ account, secrets }: ServiceTarget, { path, query = {} }: ServiceRequest): string {
  const base = `${account.apiUrl}${authorizationPath(integrationKind(account.kind), secrets)}`;
  const url = URL.parse(path.startsWith('/') || path === '' ? `${base}${path}` : path);
  if (url !== null) addQuery(url, query);
  if (url !== null && isWithin(base, url.href)) return url.href;
  throw new ToolFailure('invalid_input', 'The path does not lie below the address of the integration');
}

function urlOf(field: string, { account, secrets }: ServiceTarget, { query = {} }: ServiceRequest): string {
  const url = URL.parse(secrets[field] ?? '');
  if (url === null) throw lacksCredentials(account);
  addQuery(url, query);
  return url.href;
}

function addQuery(url: URL, query: NonNullable<ServiceRequest['query']>): void {
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined) url.searchParams.append(name, String(each));
  }
}

function lacksCredentials({ name }: ServiceAccount): ToolFailure {
  return new ToolFailure('denied', `The integration ${name} lacks credentials that this needs; add them to it`);
}

function jsonOf(text: string, name: string, effect: RunEffect): unknown {
  const parsed = parseForeignJson(text, { maxValues: MAX_VALUES });
  if ('value' in parsed) return parsed.value;
  const words = parsed.isTooLarge ? 'is too large: ask for less' : 'is not JSON: check the base_url of the integration';
  // Whoever answers so may have done it all the same.
  throw new ToolFailure('upstream', `The answer of ${name} ${words}`, { isUncertain: effect === 'once' });
}
