import { cancellationSignal } from '@temporalio/activity';
import type { Database, SecretBox } from '../../db/core/index.ts';
import { findConnection, type IntegrationConnection, noteCheck } from '../../db/integrations/index.ts';
import { getMember } from '../../db/orgs/index.ts';
import { notFound } from '../../domain/core/app-error.ts';
import {
  authorizationHeaders,
  type IntegrationKind,
  integrationKind,
  isWithin,
  type KindTest,
  type Secrets,
} from '../../domain/integrations/index.ts';
import { parseTestRequest, renderRequest } from '../../domain/tools/index.ts';
import type { CheckIntegrationInput, CheckIntegrationResult } from '../../workflows/integrations/contract.ts';
import { type GuardedHttp, type GuardedResponse, HttpFailure } from '../core/guarded-http.ts';
import { judgeAnswer, type Verdict } from './judge-answer.ts';
import { openCredentials } from './open-credentials.ts';
import type { TokenDeps } from './tokens/current-grant.ts';
import { TokenFailure } from './tokens/token-failure.ts';

/** The dependencies of tests of integrations. */
interface TryIntegrationDeps {
  readonly database: Database;
  readonly box: SecretBox;
  readonly http: GuardedHttp;
}

const LIMIT_MS = 20_000;
const MAX_BYTES = 256 * 1024;

/**
 * Makes the activity that makes one small request with an integration, on behalf of a member, and stores whether the
 * credentials work. Neither they nor text of the service come into the workflow's history.
 */
export function createTryIntegration({ database, box, http }: TryIntegrationDeps) {
  return async function tryIntegration(input: CheckIntegrationInput): Promise<CheckIntegrationResult> {
    const signal = cancellationSignal();
    await getMember(database, input);
    const integration = await findConnection(database, input);
    if (integration === undefined) throw notFound('Integration');
    const begin = performance.now();
    const verdict = await tryOut(integration, { database, box, http }, signal);
    const latencyMs = verdict.hasAnswered ? Math.round(performance.now() - begin) : null;
    await noteCheck(database, input, { connection: integration.connection, ...verdict });
    return { ok: verdict.error === null, latencyMs };
  };
}

type Outcome = Verdict & { readonly hasAnswered: boolean };

/** Makes the request that shows whether the credentials of an integration work. */
export async function tryOut(
  integration: IntegrationConnection,
  deps: TokenDeps,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    const secrets = await openCredentials(deps, integration, signal);
    const request = requestOf(integration, secrets);
    if (typeof request === 'string') return notSent(`The request of the test cannot be made: ${request}`);
    const answer = await send(deps.http, request, signal);
    return { ...judgeAnswer(integration, answer, secrets), hasAnswered: true };
  } catch (error) {
    if (!(error instanceof HttpFailure) && !(error instanceof TokenFailure)) throw error;
    return notSent(error.message);
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
function requestOf(integration: IntegrationConnection, secrets: Secrets): TestCall | string {
  const kind = integrationKind(integration.kind);
  const call =
    kind.test === null
      ? ownCall(integration, secrets)
      : callOf(kind, kind.test, { apiUrl: integration.apiUrl, secrets });
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
    url: `${apiUrl}${path}${query === undefined ? '' : `?${new URLSearchParams(query).toString()}`}`,
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
