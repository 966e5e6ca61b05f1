import { findPublishedAgent } from '../../db/agents/find-agents.ts';
import { notFound } from '../../domain/core/app-error.ts';
import { A2A_PATH } from '../http/replies/failure-form.ts';
import { defineRelayRoute, defineRoute } from '../http/define-route.ts';
import { CARD_PATH, presentCard } from './agent-card.ts';
import { a2aRequestSchema, a2aResponseSchema, agentCardSchema } from './schema.ts';

const VERSION = 'a2a-version';

/** Serves clients of the Agent2Agent protocol, each request by itself: any process answers any of them. */
export const a2aEndpointRoutes = [
  defineRelayRoute({
    method: 'post',
    path: `${A2A_PATH}/{agent_id}`,
    resource: 'chats',
    action: 'send_a2a',
    access: 'in_org',
    audit: false,
    tag: 'A2A',
    operationId: 'sendAgentToAgentRequest',
    summary: 'Send a request of the Agent2Agent protocol (JSON-RPC) to a published agent',
    description:
      'Versions 1.0 and 0.3 of the protocol. A task is a turn of a chat, which is its context. Errors of the protocol are answered with 200, with a code in `error`.',
    body: a2aRequestSchema,
    keepsNumbers: true,
    errors: [400],
    response: {
      status: 200,
      stream: 'text/event-stream',
      schema: a2aResponseSchema,
      whole: a2aResponseSchema,
      isRelayed: true,
    },
    handler: async ({ caller, params: { agent_id: id }, body, header, ip }, context, reply) => {
      const agent = await findPublishedAgent(context.database, id, caller.orgId);
      if (agent === undefined) throw notFound('Agent');
      // On first use: a process at which nobody speaks the protocol does without its library.
      const { serveRequest } = await import('./serve-request.ts');
      return serveRequest({ context, caller, agent, request: body, version: header(VERSION), ip, reply });
    },
  }),
  defineRoute({
    method: 'get',
    path: `${A2A_PATH}/{agent_id}${CARD_PATH}`,
    resource: 'agents',
    action: 'view_card',
    access: 'public',
    tag: 'A2A',
    operationId: 'getAgentCard',
    summary: 'The card of a published agent',
    description: 'In the form of version 1.0 of the protocol if `A2A-Version` says so, otherwise in that of 0.3.',
    response: { status: 200, description: 'The card', schema: agentCardSchema },
    handler: async ({ params: { agent_id: id }, header }, { database, publicUrl }) => {
      const agent = await findPublishedAgent(database, id);
      if (agent === undefined) throw notFound('Agent');
      return presentCard(publicUrl, agent, header(VERSION));
    },
  }),
];
