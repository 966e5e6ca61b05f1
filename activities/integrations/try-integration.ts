import { isDeepStrictEqual } from 'node:util';
import { cancellationSignal } from '@temporalio/activity';
import type { Database } from '../../db/core/index.ts';
import { findConnection, type IntegrationConnection, noteCheck } from '../../db/integrations/index.ts';
import { getMember } from '../../db/orgs/index.ts';
import { notFound } from '../../domain/core/app-error.ts';
import {
  authorizationHeaders,
  authorizationPath,
  type IntegrationKind,
  integrationKind,
  isSignedInWith,
  isWithin,
  kindTest,
  type KindTest,
  type Secrets,
  type SignInKindKey,
} from '../../domain/integrations/index.ts';
import { parseTestRequest, renderRequest } from '../../domain/tools/index.ts';
import type { CheckIntegrationInput, CheckIntegrationResult } from '../../workflows/short/contract.ts';
import { type GuardedHttp, type GuardedResponse, HttpFailure } from '../core/network/guarded-http.ts';
import { maskedSecrets } from '../core/masked-secrets.ts';
import { SecretMask } from '../core/secret-mask.ts';
import { judgeAnswer, type Verdict } from './judge-answer.ts';
import { openCredentials } from './open-credentials.ts';
import { onlyAddress, reachAddress } from './reach-address.ts';
import type { TokenDeps } from './tokens/current-grant.ts';
import { TokenFailure } from './tokens/token-failure.ts';

/** An integration that is signed in with, and how its secrets are masked in what the other side says. */
interface SignedIn extends IntegrationConnection {
  readonly kind: SignInKindKey;
  readonly secrets: Secrets;
  readonly mask: (text: string) => string;
}

/** What an integration is tried with. */
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
