import { cancellationSignal } from '@temporalio/activity';
import type { Database, SecretBox } from '../../db/core/index.ts';
import { findConnection, type IntegrationConnection, noteCheck, openSecrets } from '../../db/integrations/index.ts';
import { getMember } from '../../db/orgs/index.ts';
import { notFound } from '../../domain/core/app-error.ts';
import {
  authorizationHeaders,
  authorizationPath,
  type IntegrationKind,
  integrationKind,
  isWithin,
  type KindTest,
  maskedValues,
  type Secrets,
} from '../../domain/integrations/index.ts';
import { parseTestRequest, renderRequest } from '../../domain/tools/index.ts';
import type { CheckIntegrationInput, CheckIntegrationResult } from '../../workflows/integrations/contract.ts';
import { type GuardedHttp, type GuardedResponse, HttpFailure } from '../core/guarded-http.ts';
import type { GuardedSockets } from '../core/guarded-connect.ts';
import { SecretMask } from '../core/secret-mask.ts';
import { signIn } from '../tools/index.ts';
import { judgeAnswer, type Verdict } from './judge-answer.ts';
import { onlyAddress, reachAddress } from './reach-address.ts';

/** The dependencies of tests of integrations. */
export interface TryIntegrationDeps {
  readonly database: Database;
  readonly box: SecretBox;
  readonly http: GuardedHttp;
  /** Reaches what speaks no HTTP. */
  readonly sockets: GuardedSockets;
}

const LIMIT_MS = 20_000;
const MAX_BYTES = 256 * 1024;

/**
 * Makes the activity that makes one small request with an integration, on behalf of a member, and stores whether the
 * credentials work. Neither they nor text of the service come into the workflow's history.
 */
export function createTryIntegration({ database, ...reach }: TryIntegrationDeps) {
  return async function tryIntegration(input: CheckIntegrationInput): Promise<CheckIntegrationResult> {
    const signal = cancellationSignal();
    await getMember(database, input);
    const integration = await findConnection(database, input);
    if (integration === undefined) throw notFound('Integration');
    const begin = performance.now();
    const verdict = await tryOut(integration, reach, signal);
    const latencyMs = verdict.hasAnswered ? Math.round(performance.now() - begin) : null;
    await noteCheck(database, input, { connection: integration.connection, ...verdict });
    return { ok: verdict.error === null, latencyMs };
  };
}

type Outcome = Verdict & { readonly hasAnswered: boolean };

async function tryOut(
  integration: IntegrationConnection,
  { box, http, sockets }: Omit<TryIntegrationDeps, 'database'>,
  signal: AbortSignal,
): Promise<Outcome> {
  const secrets = open(integration, box);
  if (secrets === undefined) return notSent('The credentials cannot be decrypted with SECRET_KEY; give them again');
  const { test, ...kind } = integrationKind(integration.kind);
  const address = onlyAddress(kind, secrets);
  if (address !== undefined) return reachAddress(http, address, signal);
  if (test === 'sign_in') return trySignIn(integration, secrets, sockets, signal);
  const request = requestOf(integration, test, secrets);
  if (typeof request === 'string') return notSent(`The request of the test cannot be made: ${request}`);
  try {
    const answer = await send(http, request, signal);
    return { ...judgeAnswer(integration, answer, secrets), hasAnswered: true };
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    return notSent(error.message);
  }
}

async function trySignIn(
  integration: IntegrationConnection,
  secrets: Secrets,
  sockets: GuardedSockets,
  signal: AbortSignal,
): Promise<Outcome> {
  const mask = new SecretMask(maskedValues(integrationKind(integration.kind), secrets));
  const account = { ...integration, secrets, mask: (text: string) => mask.mask(text) };
  const limit = AbortSignal.timeout(LIMIT_MS);
  try {
    const error = await signIn(account, sockets, AbortSignal.any([signal, limit]));
    return { error, hasAnswered: error === null };
  } catch (error) {
    if (signal.aborted || !limit.aborted) throw error;
    return notSent(`The sign-in has taken longer than ${LIMIT_MS / 1000} seconds`);
  }
}

function notSent(error: string): Outcome {
  return { error, hasAnswered: false };
}

function open(integration: IntegrationConnection, box: SecretBox): Secrets | undefined {
  try {
    return openSecrets(box, integration);
  } catch {
    return undefined;
  }
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
