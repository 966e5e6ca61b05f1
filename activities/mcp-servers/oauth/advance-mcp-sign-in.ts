import { cancellationSignal } from '@temporalio/activity';
import { auth, extractWWWAuthenticateParams } from '@modelcontextprotocol/client';
import {
  failMcpSignIn,
  findMcpSignIn,
  grantToMcpServer,
  type McpSignIn,
  openSignIn,
  sealGrant,
  sealSignIn,
  storeMcpChallenge,
} from '../../../db/mcp-servers/sign-ins.ts';
import { findMcpConnection, type McpConnection } from '../../../db/mcp-servers/for-turn.ts';
import { openAuthValue } from '../../../db/mcp-servers/mcp-servers.ts';
import { endpointUrlIssue } from '../../../domain/network/host-names.ts';
import type { PrivateHosts } from '../../../domain/network/addresses.ts';
import type { SignInInput, StoredResult } from '../../../workflows/short/contract.ts';
import type { McpSignInDeps } from '../create-advance-mcp-sign-in.ts';
import { mcpFailureOf } from '../sessions/failure-of.ts';
import { McpFailure } from '../mcp-failure.ts';
import { createSessionFetch } from '../sessions/session-fetch.ts';
import { untilAborted } from '../../core/cancellation.ts';
import { type AuthorizationState, providerOver } from './authorization-state.ts';

const LIMIT_MS = 30_000;
const UNFIT = 'The authorization server of this server does not offer what a sign-in needs, or was not found';

/** Advances a sign-in, for `createAdvanceMcpSignIn`. */
export async function advanceMcpSignIn(deps: McpSignInDeps, input: SignInInput): Promise<StoredResult> {
  const { database, log } = deps;
  const signal = AbortSignal.any([cancellationSignal(), AbortSignal.timeout(LIMIT_MS)]);
  const signIn = await findMcpSignIn(database, input);
  const server = signIn && (await findMcpConnection(database, signIn));
  if (signIn === undefined || server?.connection !== signIn.connection) return { ok: false };
  try {
    await untilAborted(advance(deps, signIn, server), signal);
    return { ok: true };
  } catch (error) {
    const failure = mcpFailureOf(error, UNFIT);
    log.info({ err: failure, serverId: server.id }, 'a sign-in at an MCP server failed');
    await failMcpSignIn(database, input, failure.message);
    return { ok: false };
  }
}

async function advance(deps: McpSignInDeps, signIn: McpSignIn, server: McpConnection): Promise<void> {
  const authorization = (openSignIn(deps.box, signIn) ?? {}) as AuthorizationState;
  if (authorization.answer === undefined) await begin(deps, signIn, server, authorization);
  else await finish(deps, signIn, server, authorization, authorization.answer);
}

async function begin(
  deps: McpSignInDeps,
  signIn: McpSignIn,
  server: McpConnection,
  authorization: AuthorizationState,
): Promise<void> {
  const fetchFn = fetchFor(deps, server);
  const resourceMetadataUrl = await findMetadata(fetchFn, server);
  await auth(providerFor(deps, signIn, server, authorization), {
    serverUrl: server.url,
    fetchFn,
    ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
  });
  const { authorizationUrl, state } = authorization;
  if (authorizationUrl === undefined || state === undefined)
    throw new McpFailure('upstream', 'The authorization server of this server lets nobody sign in');
  const issue = authorizationUrlIssue(authorizationUrl, deps.privateHosts);
  if (issue !== undefined) throw new McpFailure('denied', `The address to sign in at ${issue}`);
  const sealed = sealSignIn(deps.box, signIn, authorization);
  await storeMcpChallenge(deps.database, { orgId: signIn.orgId, signInId: signIn.id }, { state, sealed });
}

async function finish(
  deps: McpSignInDeps,
  signIn: McpSignIn,
  server: McpConnection,
  authorization: AuthorizationState,
  { code, iss }: NonNullable<AuthorizationState['answer']>,
): Promise<void> {
  await auth(providerFor(deps, signIn, server, authorization), {
    serverUrl: server.url,
    fetchFn: fetchFor(deps, server),
    authorizationCode: code,
    ...(iss !== undefined && { iss }),
  });
  const { client, tokens, discovery } = authorization;
  if (tokens === undefined) throw new McpFailure('upstream', 'The authorization server gave no token');
  const ref = { orgId: server.orgId, serverId: server.id };
  const isStored = await grantToMcpServer(
    deps.database,
    signIn,
    sealGrant(deps.box, ref, { client, tokens, discovery }),
  );
  if (!isStored) throw new McpFailure('denied', 'The server was changed in the meantime, or the sign-in was cancelled');
}

function providerFor(
  { box }: McpSignInDeps,
  { redirectUrl }: McpSignIn,
  server: McpConnection,
  authorization: AuthorizationState,
) {
  return providerOver({
    authorization,
    redirectUrl,
    oauth: server.config.oauth,
    clientSecret: openAuthValue(box, server),
  });
}

function fetchFor({ fetch }: McpSignInDeps, server: McpConnection) {
  const headers = { ...server.config.headers };
  const ignore = () => undefined;
  return createSessionFetch({
    fetch,
    url: new URL(server.url),
    transport: 'http',
    headers,
    onBroken: ignore,
    onBytes: ignore,
  });
}

/** Asks a server for nothing, without a token: its refusal says where it describes its authorization servers. */
async function findMetadata(fetchFn: ReturnType<typeof fetchFor>, { url }: McpConnection): Promise<URL | undefined> {
  const response = await fetchFn(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'ping' }),
  });
  await response.body?.cancel();
  return response.status === 401 ? extractWWWAuthenticateParams(response).resourceMetadataUrl : undefined;
}

// A person opens it: no other scheme than https, and none of a private host that the operator has not named.
function authorizationUrlIssue(url: string, privateHosts: PrivateHosts): string | undefined {
  const { protocol, hostname, port } = new URL(url);
  if (protocol === 'https:') return endpointUrlIssue(url, privateHosts);
  const isOwn = protocol === 'http:' && privateHosts.allows(hostname, Number(port || 80));
  return isOwn ? undefined : 'must begin with https://';
}
