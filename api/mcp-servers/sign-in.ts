import { z } from 'zod';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import {
  beginMcpSignIn,
  findMcpSignIn,
  openSignIn,
  sealSignIn,
  storeMcpAnswer,
  takeMcpAnswer,
} from '../../db/mcp-servers/sign-ins.ts';
import { getMcpServer } from '../../db/mcp-servers/mcp-servers.ts';
import type { McpServer } from '../../db/mcp-servers/mcp-server.entity.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { text } from '../../domain/core/text.ts';
import { requireMayRedirect } from '../../domain/permissions/restrict.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { runProbe } from '../context/run-probe.ts';
import { defineRoute } from '../http/define-route.ts';
import { fieldIssue, type InvalidRequest } from '../http/problem.ts';
import { mcpServerSchema, presentMcpServer } from './schema.ts';

/** The page that people return to; it is registered with authorization servers. */
export const MCP_SIGN_IN_PATH = '/mcp-sign-in';

const manage = { resource: 'mcp_servers', access: 'mcp_servers.manage', tag: 'MCP servers' } as const;

const startedSchema = z
  .object({ auth_url: z.string().meta({ description: 'Where the person signs in; valid for ten minutes' }) })
  .meta({ id: 'McpSignIn' });

const finishSchema = z
  .strictObject({
    callback_url: text(10_000).min(1).meta({
      description: 'The address to which the authorization server redirected the person, with its query',
    }),
  })
  .meta({
    id: 'McpSignInFinish',
    examples: [{ callback_url: 'https://everturn.example.com/mcp-sign-in?code=a-code&state=a-state' }],
  });

const answerSchema = z.object({ code: z.string().min(1), state: z.string().min(1), iss: z.string().optional() });

/** Finds out where a person signs in at a server. */
const startRoute = defineRoute({
  ...manage,
  method: 'post',
  path: '/api/mcp-servers/{mcp_id}/oauth/start',
  action: 'start_sign_in',
  operationId: 'startMcpSignIn',
  summary: 'Start signing in to an MCP server; the response contains the address',
  description:
    'For servers with the grant `authorization_code`. The authorization server is discovered, a client is registered where supported, and PKCE is used. 502 says why this failed.',
  errors: [502],
  response: { status: 200, schema: startedSchema },
  handler: async ({ caller, params: { mcp_id: serverId } }, context) => {
    const { database, box, publicUrl } = context;
    const { orgId, userId } = caller;
    const server = await withOrgTransaction(database, orgId, (em) => getMcpServer(em, serverId));
    requireMayRedirect(caller, server, 'MCP server');
    requireInteractive(server);
    const redirectUrl = `${publicUrl}${MCP_SIGN_IN_PATH}`;
    const signInId = await beginMcpSignIn(database, { orgId, serverId, userId }, redirectUrl);
    await advance(context, caller, signInId);
    const signIn = await findMcpSignIn(database, { orgId, signInId });
    const { authorizationUrl } = (signIn && (openSignIn(box, signIn) as { authorizationUrl?: string })) ?? {};
    if (authorizationUrl === undefined) throw failed('The sign-in was cancelled in the meantime');
    return { auth_url: authorizationUrl };
  },
});

/** Ends a sign-in with what the person came back with. */
const finishRoute = defineRoute({
  ...manage,
  method: 'post',
  path: '/api/mcp-servers/{mcp_id}/oauth/finish',
  action: 'finish_sign_in',
  operationId: 'finishMcpSignIn',
  summary: 'Finish signing in to an MCP server',
  description:
    'Only for the user who started it, once, within ten minutes. The grant serves the agents of the whole organization.',
  body: finishSchema,
  errors: [502],
  response: { status: 200, schema: mcpServerSchema },
  handler: async ({ caller, params: { mcp_id: serverId }, body }, context) => {
    const { database, box } = context;
    const { orgId, userId } = caller;
    const server = async () => withOrgTransaction(database, orgId, (em) => getMcpServer(em, serverId));
    requireInteractive(await server());
    const { state, ...answer } = answerIn(body.callback_url);
    const signIn = await takeMcpAnswer(database, { orgId, serverId, userId }, state);
    if (signIn === undefined) throw unknownState();
    const memory = openSignIn(box, signIn) as object;
    const sealed = sealSignIn(box, signIn, { ...memory, answer });
    await storeMcpAnswer(database, { orgId, signInId: signIn.id }, sealed);
    await advance(context, caller, signIn.id);
    return presentMcpServer(await server());
  },
});

export const mcpSignInRoutes = [startRoute, finishRoute];

function requireInteractive({ authType, config }: McpServer): void {
  if (authType === 'oauth' && config.oauth?.grant === 'authorization_code') return;
  throw new AppError('conflict', 'Nobody signs in at this server: its config.oauth.grant is not authorization_code');
}

function answerIn(callbackUrl: string) {
  const query = Object.fromEntries(URL.parse(callbackUrl)?.searchParams ?? []);
  const { data } = answerSchema.safeParse(query);
  if (data !== undefined) return data;
  const said = query['error'] === undefined ? 'contains no code and state' : 'says that the sign-in was refused';
  throw fieldIssue('callback_url', said);
}

function unknownState(): InvalidRequest {
  const msg =
    'does not belong to a sign-in that you started at this server within the last ten minutes and have not finished';
  return fieldIssue('callback_url', msg);
}

async function advance(context: ApiContext, caller: OrgCaller, signInId: string) {
  const { orgId } = caller;
  const { ok } = await runProbe(context, caller, {
    type: 'signInAtMcpServer',
    input: { orgId, signInId },
    failure: 'The sign-in could not continue now; try again shortly',
  });
  if (ok) return;
  const signIn = await findMcpSignIn(context.database, { orgId, signInId });
  throw failed(signIn?.error ?? 'The server was changed in the meantime');
}

function failed(reason: string): AppError {
  return new AppError('upstream_failed', reason);
}
