import { z } from 'zod';
import { hasSourceNumber, withDigitTexts } from '../../../domain/core/exact-json.ts';
import { parseForeignJson } from '../../../domain/core/foreign-json.ts';
import { cut, toShowable } from '../../../domain/core/text.ts';
import {
  authorizationHeaders,
  authorizationPath,
  isWithin,
  siblingUrlOf,
} from '../../../domain/integrations/address.ts';
import { integrationKind, type IntegrationKindKey } from '../../../domain/integrations/kinds/index.ts';
import type { IntegrationKind, Secrets } from '../../../domain/integrations/integration-kind.ts';
import { noIntegrationOf } from '../../../domain/tools/needs.ts';
import type { Trust } from '../../core/network/guarded-connect.ts';
import type { GuardedHttp } from '../../core/network/guarded-http.ts';
import { askedWaitMs, DEFAULT_WAIT_MS } from '../../core/network/rate-limit.ts';
import { maskedSecrets } from '../../core/secret-mask.ts';
import { CallSecrets } from '../../integrations/open-credentials.ts';
import type { OpenService, Service, ServiceAnswer, ServiceRequest } from '../context.ts';
import { bodyText, sendRequest, type SentResponse } from '../requests/send-request.ts';
import { ToolFailure, type ToolFailureClass } from '../tool-failure.ts';
import type { RunEffect } from '../tool.ts';

/** An integration whose service a call may open; its secrets are opened when it is the one. */
export interface ServiceAccount extends Pick<Service, 'kind' | 'name' | 'apiUrl' | 'settings'> {
  /** Opens them; where they can be renewed, replaces those that the service has just rejected. */
  openSecrets(rejected?: Secrets): Promise<Secrets>;
  /** Records that it was used; with words for people when the service has rejected its credentials. */
  noteUse(error: string | null): Promise<void>;
}

interface ServiceDeps {
  readonly http: GuardedHttp;
  /** Returns the organization's integrations of these kinds, oldest first. */
  readonly list: (kinds: readonly IntegrationKindKey[]) => Promise<readonly ServiceAccount[]>;
  /** Whether an earlier attempt at the call may have sent the same requests. */
  readonly isRepeated: boolean;
}

/** Returns how a call opens the services of its organization's integrations, until the signal aborts. */
export function servicesOf({ http, list, isRepeated }: ServiceDeps, signal: AbortSignal): OpenService {
  return async <K extends IntegrationKindKey>(kinds: readonly K[], name: string | undefined) => {
    const accounts = await list(kinds);
    const account = chosenOf(accounts, name, kinds);
    const { apiUrl, settings } = account;
    const callSecrets = new CallSecrets(await account.openSecrets(), {
      renew: async (rejected) => account.openSecrets(rejected),
      masked: (secrets) => maskedSecrets(integrationKind(account.kind), secrets),
    });
    const target: ServiceTarget = { account, callSecrets, http, isRepeated, signal };
    return {
      // Only accounts of these kinds are listed.
      kind: account.kind as K,
      name: account.name,
      apiUrl,
      settings,
      get secrets() {
        return callSecrets.secrets;
      },
      mask: (text) => callSecrets.mask(text),
      noteUse: async (rejection) => account.noteUse(rejection),
      request: async (request) => sendToService(target, request),
    };
  };
}

/** Returns the account of this name, or the only one; throws `ToolFailure` when there is none, or none was named. */
export function chosenOf<T extends { readonly name: string }>(
  accounts: readonly T[],
  name: string | undefined,
  kinds: readonly IntegrationKindKey[],
): T {
  const [first, second] = accounts;
  if (first === undefined) throw new ToolFailure('denied', noIntegrationOf(kinds));
  const names = accounts.map((each) => each.name).join(', ');
  if (name === undefined) {
    if (second === undefined) return first;
    throw new ToolFailure('invalid_input', `There are several integrations: name one of ${names}`);
  }
  const named = accounts.find((each) => each.name.toLowerCase() === name.toLowerCase());
  if (named === undefined) throw new ToolFailure('not_found', `There is no such integration; there is ${names}`);
  return named;
}

/** The settings of requests to a service. */
interface ServiceTarget {
  readonly account: ServiceAccount;
  readonly callSecrets: CallSecrets;
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
 * the words of the service, and records in the integration when its credentials were rejected, also after renewal.
 */
export async function sendToService(target: ServiceTarget, request: ServiceRequest): Promise<ServiceAnswer> {
  const { account, callSecrets } = target;
  const sendNow = async () => send(target, request);
  const response = await (isAtApi(request) ? callSecrets.send(sendNow) : sendNow());
  const { status, headers, body, isTruncated } = response;
  const text = callSecrets.mask(bodyText(body, headers.get('content-type') ?? ''));
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
  // Many writes read nothing but the status, which a page for signing in has too.
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

function authorizationOf({ account, callSecrets: { secrets } }: ServiceTarget): Readonly<Record<string, string>> {
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

function apiBaseOf({ account, callSecrets: { secrets } }: ServiceTarget): string {
  return `${account.apiUrl}${authorizationPath(integrationKind(account.kind), secrets)}`;
}

function urlOf(
  field: string,
  { account, callSecrets: { secrets } }: ServiceTarget,
  { query = {} }: ServiceRequest,
): string {
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

/** The answer of a service that has refused a request; its text contains no secret. */
interface Refusal {
  readonly status: number;
  readonly text: string;
  /** How long the service asks to be left alone; undefined unless it does. */
  readonly waitMs: number | undefined;
}

/** The request that was refused. */
interface Refused {
  /** The name of the service. */
  readonly service: string;
  readonly effect: RunEffect;
}

const MAX_WORDS = 500;
/** The members in which APIs say what is wrong, and those that lead to it. */
const WORDS = ['message', 'error_description', 'detail', 'title', 'description', 'reason', 'errorType', 'error', 'msg'];
const LEADS = ['error', 'errors', 'errorMessages', 'message', 'fault', 'meta', 'details'];
const MAX_DEPTH = 4;

/** Returns the failure that an answer is, with the words of the service as far as it says any. */
function serviceFailure({ status, text, waitMs }: Refusal, { service, effect }: Refused): ToolFailure {
  const said = wordsIn(text);
  const message = `${service} answers with the status ${status}${hintFor(status)}${said === undefined ? '' : `: ${said}`}`;
  return new ToolFailure(waitMs === undefined ? classOf(status) : 'rate_limited', message, {
    isForeign: said !== undefined,
    waitMs,
    // A service that fails in the middle of a write may have made it.
    isUncertain: status >= 500 && effect !== 'read' && waitMs === undefined,
  });
}

function classOf(status: number): ToolFailureClass {
  if (status === 401 || status === 403) return 'denied';
  if (status === 404 || status === 410) return 'not_found';
  if (status === 408) return 'timeout';
  return status >= 400 && status < 500 ? 'invalid_input' : 'upstream';
}

function hintFor(status: number): string {
  if (status === 401) return ' (its credentials were rejected: somebody must check the integration)';
  if (status < 400) return ' (it redirects elsewhere, where credentials are not sent)';
  return '';
}

function wordsIn(text: string): string | undefined {
  if (/^\s*</.test(text)) return undefined;
  const parsed = parseForeignJson(text);
  const found = 'value' in parsed ? [...new Set(textsIn(parsed.value, MAX_DEPTH))].join('; ') : text;
  const words = cut(toShowable(found), MAX_WORDS).trim();
  return words === '' ? undefined : words;
}

function textsIn(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [value];
  if (depth === 0 || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.slice(0, 5).flatMap((each) => textsIn(each, depth - 1));
  const members = new Map(Object.entries(value));
  const own = WORDS.flatMap((name) => {
    const each: unknown = members.get(name);
    return typeof each === 'string' ? [each] : [];
  });
  const below = LEADS.flatMap((name) => {
    const each: unknown = members.get(name);
    return typeof each === 'object' && each !== null ? leadsTo(each, depth - 1) : [];
  });
  return [...own, ...below];
}

// Errors by field: `{ "summary": "is required" }`, or a list of them for each.
function leadsTo(value: object, depth: number): string[] {
  const found = textsIn(value, depth);
  if (found.length > 0 || Array.isArray(value)) return found;
  return Object.entries(value)
    .slice(0, 5)
    .flatMap(([name, each]) => listed(each).flatMap((text) => (typeof text === 'string' ? [`${name}: ${text}`] : [])));
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, 5) : [value];
}
