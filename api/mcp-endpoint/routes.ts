import { announceCancelledCall, cancelCall } from '../../db/completions.ts';
import { requestInterrupt } from '../../db/turns/request-interrupt.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { withPlainNumbers } from '../../domain/core/exact-json.ts';
import { isObject } from '../../domain/core/objects.ts';
import { hostNameOf } from '../../domain/network/host-names.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { MCP_PATH } from '../http/replies/failure-form.ts';
import { defineRelayRoute } from '../http/define-route.ts';
import { answerMessage, rpcAnswerSchema, type RpcMessage, rpcMessageSchema } from './answer-message.ts';
import { callDigestOf } from './served-tool.ts';
import { nameOfCall } from '../context/waiting-calls.ts';

/** Serves clients of the Model Context Protocol, each message by itself: any process answers any of them. */
export const mcpEndpointRoutes = [
  defineRelayRoute({
    method: 'post',
    path: MCP_PATH,
    resource: 'chats',
    action: 'call',
    access: 'in_org',
    audit: false,
    tag: 'MCP',
    operationId: 'sendMcpMessage',
    summary: 'Send a message of the Model Context Protocol (Streamable HTTP)',
    description:
      'For clients of the protocol revisions since 2025. It offers the tools that the caller may use. It offers no stream with GET and has no sessions to delete: both return 405.',
    body: rpcMessageSchema,
    keepsNumbers: true,
    errors: [400, 406],
    response: {
      status: 200,
      stream: 'text/event-stream',
      schema: rpcAnswerSchema,
      whole: rpcAnswerSchema,
      isRelayed: true,
    },
    handler: async ({ caller, body, header, ip }, context, reply) => {
      checkOrigin(header, context);
      const message = withReadableNumbers(body);
      const session = header('mcp-session-id');
      if (message.method === 'notifications/cancelled') await interruptCall(context, caller, session, message);
      return answerMessage({ caller, context, ip, session, message, reply, header });
    },
  }),
];

/** Returns a message with the numbers that the protocol's library reads; variables of workflows keep theirs exactly. */
function withReadableNumbers(message: RpcMessage): RpcMessage {
  const plain = withPlainNumbers(message);
  const [given, args] = [message.params?.['arguments'], plain.params?.['arguments']];
  if (!isObject(given) || !isObject(args) || !('variables' in given)) return plain;
  return { ...plain, params: { ...plain.params, arguments: { ...args, variables: given['variables'] } } };
}

/**
 * Throws for a page of a foreign origin that the operator does not allow: the protocol asks servers to check `Origin`,
 * which programs do not send.
 */
function checkOrigin(
  header: (name: string) => string | undefined,
  { corsOrigins, hostNames }: Pick<ApiContext, 'corsOrigins' | 'hostNames'>,
): void {
  const origin = header('origin');
  if (origin === undefined || corsOrigins.has(origin)) return;
  const name = hostNameOf(URL.parse(origin)?.host ?? '');
  if (name !== undefined && (hostNames.has(name) || name === hostNameOf(header('host') ?? ''))) return;
  throw new AppError(
    'forbidden',
    'Pages of this origin may not speak to this server; its operator can allow CORS_ORIGINS',
  );
}

/**
 * Ends the call that a client cancels now, whichever process it waits at, and interrupts the turn that it has begun.
 * What it does not know, or has ended, changes nothing.
 */
async function interruptCall(
  context: ApiContext,
  caller: OrgCaller,
  session: string | undefined,
  { params }: RpcMessage,
): Promise<void> {
  const digest = callDigestOf(session, params?.['requestId']);
  if (digest === undefined) return;
  await announceCancelledCall(context.database, caller.orgId, nameOfCall(caller, digest));
  const begun = await cancelCall(context.database, caller, digest);
  if (begun !== undefined) await requestInterrupt(context.database, caller, begun.chatId, begun.turnId);
}
