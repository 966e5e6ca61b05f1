import { MCP_PATH } from '../http/convention.ts';
import { defineRelayRoute } from '../http/define-route.ts';
import { withPlainNumbers } from '../../domain/core/objects/exact-json.ts';
import { isObject } from '../../domain/core/objects/is-object.ts';
import { answerMessage } from './answer-message.ts';
import { checkOrigin } from './check-origin.ts';
import { interruptCall } from './interrupt-call.ts';
import { rpcAnswerSchema, type RpcMessage, rpcMessageSchema } from './schema.ts';

/** Serves clients of the Model Context Protocol, each message by itself: any process answers any of them. */
export const mcpDoorRoutes = [
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
      'For clients of the protocol, of its revisions since 2025. The tools that are offered are those that the caller may use. No stream is offered with GET, and there are no sessions to be deleted: both are answered with 405.',
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
