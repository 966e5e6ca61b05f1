import { isDeepStrictEqual } from 'node:util';
import { cancellationSignal } from '@temporalio/activity';
import type { Database } from '../../db/core/database.ts';
import { findConnection, type IntegrationConnection, noteCheck } from '../../db/integrations/connections.ts';
import { getMember } from '../../db/orgs/memberships.ts';
import { notFound } from '../../domain/core/app-error.ts';
import { parseForeignJson } from '../../domain/core/foreign-json.ts';
import { isShowable, isStorableText } from '../../domain/core/text.ts';
import { authorizationHeaders, authorizationPath, isWithin, siblingUrlOf } from '../../domain/integrations/address.ts';
import type { IntegrationKind, KindTest, Secrets } from '../../domain/integrations/integration-kind.ts';
import {
  integrationKind,
  isSignedInWith,
  kindTest,
  type SignInKindKey,
} from '../../domain/integrations/kinds/index.ts';
import { parseTestRequest } from '../../domain/tools/inspect-tool.ts';
import { renderRequest } from '../../domain/tools/render-request.ts';
import type { CheckIntegrationInput, CheckIntegrationResult } from '../../workflows/short/contract.ts';
import { type GuardedHttp, type GuardedResponse, HttpFailure } from '../core/network/guarded-http.ts';
import { maskedSecrets, SecretMask } from '../core/secret-mask.ts';
import { openCredentials } from './open-credentials.ts';
import type { TokenDeps } from './current-grant.ts';
import { TokenFailure } from './request-token.ts';

/** An integration that is signed in with, and how its secrets are masked in what the other side says. */
interface SignedIn extends IntegrationConnection {
  readonly kind: SignInKindKey;
  readonly secrets: Secrets;
  readonly mask: (text: string) => string;
}

/** The dependencies of testing an integration. */
export interface TryDeps extends TokenDeps {
  /**
   * Signs in with an integration that a plain request does not test; returns why that was not possible, in words that
   * quote nothing of the other side, and null when it was.
   */
  readonly signIn: (account: SignedIn, signal: AbortSignal) => Promise<string | null>;
}

/** The dependencies of tests of integrations. */
interface TryIntegrationDeps extends TryDeps {
  readonly database: Database;
}

const LIMIT_MS = 20_000;
const MAX_BYTES = 256 * 1024;

/**
 * Makes the activity that makes one small request with an integration, on behalf of a member, and stores whether the
 * credentials work. Neither they nor text of the service come into the workflow's history.
 */
export function createTryIntegration(deps: TryIntegrationDeps) {
  const { database } = deps;
  return async function tryIntegration(input: CheckIntegrationInput): Promise<CheckIntegrationResult> {
    const signal = cancellationSignal();
    await getMember(database, input);
    const integration = await findConnection(database, input);
    if (integration === undefined) throw notFound('Integration');
    const begin = performance.now();
    const verdict = await tryOut(integration, deps, signal);
    const latencyMs = verdict.hasAnswered ? Math.round(performance.now() - begin) : null;
    await noteCheck(database, input, { connection: integration.connection, ...verdict });
    return { ok: verdict.error === null, latencyMs };
  };
}

type Outcome = Verdict & { readonly hasAnswered: boolean };

/** Makes the request that shows whether the credentials of an integration work. */
export async function tryOut(integration: IntegrationConnection, deps: TryDeps, signal: AbortSignal): Promise<Outcome> {
  try {
    const secrets = await openCredentials(deps, integration, signal);
    const address = onlyAddress(integration, secrets);
    if (address !== undefined) return await reachAddress(deps.http, address, signal);
    const { kind } = integration;
    if (isSignedInWith(kind)) return await trySignIn({ ...integration, kind }, secrets, deps, signal);
    const asked = { integration, test: kindTest(kind), http: deps.http, signal };
    const first = await tryRequest(secrets, asked);
    if (first.status !== 401) return first.verdict;
    const renewed = await openCredentials(deps, integration, signal, secrets);
    return isDeepStrictEqual(renewed, secrets) ? first.verdict : (await tryRequest(renewed, asked)).verdict;
  } catch (error) {
    if (!(error instanceof HttpFailure) && !(error instanceof TokenFailure)) throw error;
    return notSent(error.message);
  }
}

interface Asked {
  readonly integration: IntegrationConnection;
  readonly test: KindTest | null;
  readonly http: GuardedHttp;
  readonly signal: AbortSignal;
}

/** Makes the request of a test; the status is that of its answer, and undefined when it could not be made. */
async function tryRequest(
  secrets: Secrets,
  { integration, test, http, signal }: Asked,
): Promise<{ readonly verdict: Outcome; readonly status?: number }> {
  const request = requestOf(integration, test, secrets);
  if (typeof request === 'string') return { verdict: notSent(`The request of the test cannot be made: ${request}`) };
  const answer = await send(http, request, signal);
  return { verdict: { ...judgeAnswer(integration, answer, secrets), hasAnswered: true }, status: answer.status };
}

async function trySignIn(
  integration: Omit<SignedIn, 'secrets' | 'mask'>,
  secrets: Secrets,
  { signIn }: Pick<TryDeps, 'signIn'>,
  signal: AbortSignal,
): Promise<Outcome> {
  const mask = new SecretMask(maskedSecrets(integrationKind(integration.kind), secrets));
  const account = { ...integration, secrets, mask: (text: string) => mask.mask(text) };
  const limit = AbortSignal.timeout(LIMIT_MS);
  try {
    const error = await signIn(account, AbortSignal.any([signal, limit]));
    return { error, hasAnswered: error === null };
  } catch (error) {
    if (signal.aborted || !limit.aborted) throw error;
    return notSent(`The sign-in has taken longer than ${LIMIT_MS / 1000} seconds`);
  }
}

function notSent(error: string): Outcome {
  return { error, hasAnswered: false };
}

interface TestCall {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** Returns the request of a test, or why there is none. */
function requestOf(integration: IntegrationConnection, test: KindTest | null, secrets: Secrets): TestCall | string {
  const kind = integrationKind(integration.kind);
  const call =
    test === null ? ownCall(integration, secrets) : callOf(kind, test, { apiUrl: integration.apiUrl, secrets });
  if (typeof call === 'string') return call;
  return isWithin(integration.apiUrl, call.url) ? call : 'it would leave the base_url';
}

function callOf(
  kind: IntegrationKind,
  test: KindTest,
  { apiUrl, secrets }: Pick<IntegrationConnection, 'apiUrl'> & { readonly secrets: Secrets },
): TestCall | string {
  const authorization = authorizationHeaders(kind, secrets);
  if (authorization === undefined) return 'credentials are missing';
  const { method = 'GET', path, query, body } = test;
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
  return {
    url: `${apiUrl}${authorizationPath(kind, secrets)}${path}${query === undefined ? '' : `?${new URLSearchParams(query).toString()}`}`,
    method,
    headers: { ...kind.headers, ...type, ...authorization, ...test.headers },
    body: body && JSON.stringify(body),
  };
}

function ownCall({ testRequest, apiUrl }: IntegrationConnection, secrets: Secrets): TestCall | string {
  const template = parseTestRequest(apiUrl, testRequest ?? { path: '' });
  if ('issue' in template) return template.issue;
  const rendered = renderRequest(template.value, { args: {}, secrets });
  if ('issue' in rendered) return rendered.issue;
  const { url, headers } = rendered.value;
  return { url, headers, method: 'GET' };
}

async function send(http: GuardedHttp, call: TestCall, signal: AbortSignal): Promise<GuardedResponse> {
  return http.request({
    ...call,
    followRedirects: false,
    timeoutMs: LIMIT_MS,
    maxBytes: MAX_BYTES,
    signal,
  });
}

/** The result of a test, in words for people that quote nothing of the answer but the name of the account. */
interface Verdict {
  readonly error: string | null;
  readonly account?: string | undefined;
}

const MAX_ACCOUNT = 200;

/** Judges the answer of a service to a test of its credentials. */
export function judgeAnswer(
  { kind, testRequest }: Pick<IntegrationConnection, 'kind' | 'testRequest'>,
  answer: GuardedResponse,
  secrets: Secrets,
): Verdict {
  const { name, test } = integrationKind(kind);
  const request = test === 'sign_in' ? null : test;
  const service = request === null ? 'The service' : name;
  const isOnlyReached = request === null && testRequest === null;
  if (isOnlyReached && answer.status < 500) return { error: null };
  const error = answer.status === request?.okStatus ? null : wordsFor(answer.status, service);
  return error === null && request !== null ? judgeBody(integrationKind(kind), request, answer, secrets) : { error };
}

function judgeBody(
  { name, fields }: IntegrationKind,
  { account: path, isOkAt, textAt }: KindTest,
  answer: GuardedResponse,
  secrets: Secrets,
): Verdict {
  const json = [path, isOkAt, textAt].every((each) => each === undefined) ? undefined : jsonIn(answer);
  if (isOkAt !== undefined && memberAt(json, [isOkAt]) === false)
    return { error: `${name} has rejected the credentials` };
  const isOther = [path, textAt].some((each) => each !== undefined && !isText(memberAt(json, each)));
  if (isOther) return { error: `The answer is not ${name}'s; check the base_url` };
  if (path === undefined) return { error: null };
  const account = String(memberAt(json, path));
  const mask = new SecretMask(maskedSecrets({ fields }, secrets));
  const isHarmless = isShown(account) && mask.mask(account) === account;
  return { error: null, account: isHarmless ? account : undefined };
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function wordsFor(status: number, service: string): string | null {
  if (status < 300) return null;
  if (status < 400)
    return `The address redirects to another one (status ${status}); credentials are not sent there: check the base_url`;
  if (status === 401) return `${service} has rejected the credentials (status 401)`;
  if (status === 403) return `${service} does not let these credentials do what the test does (status 403)`;
  if (status === 404) return 'There is nothing at the address of the test (status 404): check the base_url';
  if (status === 429) return `${service} asks to wait before the next request (status 429)`;
  if (status >= 500) return `${service} had an internal error (status ${status})`;
  return `${service} has refused the request of the test (status ${status})`;
}

function jsonIn({ body, isTruncated }: GuardedResponse): unknown {
  if (isTruncated) return undefined;
  const json = parseForeignJson(body.toString(), { maxDepth: 20 });
  return 'issue' in json ? undefined : json.value;
}

function memberAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined),
    value,
  );
}

function isShown(account: string): boolean {
  return account.length <= MAX_ACCOUNT && isStorableText(account) && isShowable(account);
}

/**
 * Returns the address that credentials are for with which no request of a test can be made: one among them, or that of
 * another server of the service. Undefined for all others.
 */
export function onlyAddress(
  { kind: key, apiUrl }: Pick<IntegrationConnection, 'kind' | 'apiUrl'>,
  secrets: Secrets,
): string | undefined {
  const kind = integrationKind(key);
  if (authorizationHeaders(kind, secrets) !== undefined) return undefined;
  const field = kind.fields?.find(({ name, format }) => format === 'address' && secrets[name] !== undefined);
  if (field !== undefined) return secrets[field.name];
  const [sibling] = Object.keys(kind.siblings ?? {});
  return sibling === undefined ? undefined : siblingUrlOf({ kind: key, apiUrl }, sibling);
}

/**
 * Shows whether the server of an address is there, and nothing about the address: to post something would be the only
 * way.
 */
export async function reachAddress(
  http: GuardedHttp,
  address: string,
  signal: AbortSignal,
): Promise<{ readonly error: string | null; readonly hasAnswered: boolean }> {
  const url = URL.parse(address)?.origin;
  if (url === undefined) return { error: 'The address is not a valid URL', hasAnswered: false };
  const request = { url, method: 'GET', headers: {}, followRedirects: false, timeoutMs: LIMIT_MS, maxBytes: 0, signal };
  try {
    const { status } = await http.request(request);
    return { error: status < 500 ? null : `The server had an internal error (status ${status})`, hasAnswered: true };
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    return { error: error.message, hasAnswered: false };
  }
}
