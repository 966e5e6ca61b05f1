import { z } from 'zod';
import { parseForeignJson } from '../../../../domain/core/foreign-json.ts';
import { hasSourceNumber, withDigitTexts } from '../../../../domain/core/objects/exact-json.ts';
import {
  authorizationHeaders,
  authorizationPath,
  type IntegrationKind,
  integrationKind,
  isWithin,
  siblingUrlOf,
} from '../../../../domain/integrations/index.ts';
import type { Trust } from '../../../core/network/guarded-connect.ts';
import type { GuardedHttp } from '../../../core/network/guarded-http.ts';
import { askedWaitMs, DEFAULT_WAIT_MS } from '../../../core/network/rate-limit.ts';
import { bodyText } from '../../requests/present-answer.ts';
import { sendRequest, type SentResponse } from '../../requests/send-request.ts';
import type { HeldSecrets } from '../../../integrations/index.ts';
import type { ServiceAnswer, ServiceRequest } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';
import type { ServiceAccount } from './open-service.ts';
import { serviceFailure } from './service-failure.ts';

/** What requests to a service are sent with. */
export interface ServiceTarget {
  readonly account: ServiceAccount;
  readonly held: HeldSecrets;
  readonly http: GuardedHttp;
  readonly isRepeated: boolean;
  readonly signal: AbortSignal;
  /** For a server whose certificate no public authority signs, or that asks for one. */
  readonly trust?: Trust | undefined;
}

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 4 * 1024 * 1024;
/** Values of one answer: pages of a hundred records with all their fields have thousands. */
const MAX_VALUES = 200_000;
const GONE: ReadonlySet<number> = new Set([404, 410]);
const WEB_PAGE = /^\s{0,100}<(?:!doctype html|html)\b/i;
const CHECK = 'check the base_url of the integration';

/**
 * Sends a request with the credentials of an integration, to its address and below it only. Throws `ToolFailure` with
 * the words of the service, and notes with the integration when its credentials were rejected, also anew.
 */
export async function sendToService(target: ServiceTarget, request: ServiceRequest): Promise<ServiceAnswer> {
  const { account, held } = target;
  const sendNow = async () => send(target, request);
  const response = await (isAtApi(request) ? held.send(sendNow) : sendNow());
  const { status, headers, body, isTruncated } = response;
  const text = held.mask(bodyText(body, headers.get('content-type') ?? ''));
  const kind = integrationKind(account.kind);
  const service = kind.name;
  if (status === 401) await account.noteUse(`${service} has rejected the credentials (status 401)`);
  if (status < 300) await account.noteUse(null);
  if (status >= 300 && !isAccepted(target, request, response)) {
    const waitMs = askedWaitMs(response, Date.now()) ?? limitReasonMs(kind, { status, text });
    throw serviceFailure({ status, text, waitMs }, { service, effect: request.effect });
  }
  const { effect } = request;
  const unreadable = (words: string) =>
    // Whoever answers so may have done it all the same.
    new ToolFailure('upstream', `The answer of ${account.name} ${words}`, { isUncertain: effect !== 'read' });
  if (isTruncated) throw unreadable(`is larger than ${body.length} bytes: ask for less`);
  // Many writes look at nothing but the status, which a page for signing in has too.
  if (effect !== 'read' && WEB_PAGE.test(text)) throw unreadable(`is a web page: ${CHECK}`);
  return { status, effect, headers, bytes: body, text, json: () => jsonOf(text, unreadable) };
}

function isAccepted(
  { isRepeated }: ServiceTarget,
  request: ServiceRequest,
  { status, isResent }: SentResponse,
): boolean {
  if (request.accepts?.includes(status) === true) return true;
  return request.goneIsDone === true && GONE.has(status) && (isRepeated || isResent);
}

async function send(target: ServiceTarget, request: ServiceRequest): Promise<SentResponse> {
  const { account, http, signal, trust } = target;
  const { method = 'GET', effect, timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES, json } = request;
  const sent = {
    url: request.to === undefined ? urlBelow(target, request) : urlOf(request.to, target, request),
    method,
    headers: {
      ...integrationKind(account.kind).headers,
      ...(isAtApi(request) && authorizationOf(target)),
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

function isAtApi({ to, at }: ServiceRequest): boolean {
  return to === undefined && at === undefined;
}

function authorizationOf({ account, held: { secrets } }: ServiceTarget): Readonly<Record<string, string>> {
  const headers = authorizationHeaders(integrationKind(account.kind), secrets);
  if (headers === undefined) throw lacksCredentials(account);
  return headers;
}

function urlBelow(target: ServiceTarget, { path, query = {}, at }: ServiceRequest): string {
  const base = at === undefined ? apiBaseOf(target) : siblingUrlOf(target.account, at);
  const url = URL.parse(path.startsWith('/') || path === '' ? `${base}${path}` : path);
  if (url !== null) addQuery(url, query);
  if (url !== null && isWithin(base, url.href)) return url.href;
  throw new ToolFailure('invalid_input', 'The path does not lie below the address of the integration');
}

function apiBaseOf({ account, held: { secrets } }: ServiceTarget): string {
  return `${account.apiUrl}${authorizationPath(integrationKind(account.kind), secrets)}`;
}

function urlOf(field: string, { account, held: { secrets } }: ServiceTarget, { query = {} }: ServiceRequest): string {
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

function jsonOf(text: string, unreadable: (words: string) => ToolFailure): unknown {
  const parsed = parseForeignJson(text, { maxValues: MAX_VALUES, isExact: true });
  if ('value' in parsed) return hasSourceNumber(parsed.value) ? withDigitTexts(parsed.value) : parsed.value;
  throw unreadable(parsed.isTooLarge ? 'is too large: ask for less' : `is not JSON: ${CHECK}`);
}

const refusal = z.object({ error: z.object({ errors: z.array(z.object({ reason: z.string().catch('') })) }) });

/**
 * Returns how long a service is left alone whose refusal names one of the reasons of its kind, in milliseconds;
 * undefined when it names none. Its words count for nothing: they may repeat what somebody else has written.
 */
function limitReasonMs(
  { limitReasons = [] }: Pick<IntegrationKind, 'limitReasons'>,
  { status, text }: { readonly status: number; readonly text: string },
): number | undefined {
  if (status !== 403 || limitReasons.length === 0) return undefined;
  const parsed = parseForeignJson(text);
  const { data } = refusal.safeParse('value' in parsed ? parsed.value : undefined);
  return data?.error.errors.some(({ reason }) => limitReasons.includes(reason)) === true ? DEFAULT_WAIT_MS : undefined;
}
