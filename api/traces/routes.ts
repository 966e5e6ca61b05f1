import { listTurns, readCall, readTrace } from '../../db/traces/index.ts';
import { present } from '../../domain/core/record-names.ts';
import { policyAllows } from '../../domain/permissions/index.ts';
import { readerOf } from '../chats/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { idParams } from '../resources/id-fields.ts';
import { presentTrace, presentTurn } from './present-trace.ts';
import { tracedCallSchema, traceSchema, turnSchema } from './schema.ts';

const head = { access: 'in_org', tag: 'Chats', method: 'get' } as const;

export const traceRoutes = [
  defineRoute({
    ...head,
    resource: 'turns',
    path: '/api/chats/{chat_id}/turns',
    operationId: 'listTurns',
    summary: 'The turns of a chat, newest first',
    description: 'A turn is a message of the user and everything until its one answer, also while that is written.',
    params: idParams('chat_id'),
    query: pageQuery,
    response: { status: 200, schema: turnSchema.array() },
    handler: async ({ caller, params: { chat_id: chatId }, query, answerPage }, { database }) =>
      answerPage(await listTurns(database, readerOf(caller), chatId, query)).map(presentTurn),
  }),
  defineRoute({
    ...head,
    resource: 'turns',
    path: '/api/chats/{chat_id}/turns/{turn_id}',
    operationId: 'getTrace',
    summary: 'The trace of a turn: what happened, when, and with which outcome',
    description:
      'Waits, attempts, every call of a model, tool calls and what sub-agents did, as a list in which `parent_id` says what is below what. It can be read while the turn runs. At most 5,000 rows; of arguments and results it has the beginnings.',
    params: idParams('chat_id', 'turn_id'),
    response: { status: 200, schema: traceSchema },
    handler: async ({ caller, params: { chat_id: chatId, turn_id: turnId } }, { database }) =>
      presentTrace(await readTrace(database, readerOf(caller), { chatId, turnId }), {
        seesAccounts: policyAllows(caller.policy, 'providers.view'),
      }),
  }),
  defineRoute({
    ...head,
    resource: 'calls',
    path: '/api/chats/{chat_id}/turns/{turn_id}/calls/{call_id}',
    operationId: 'getTracedCall',
    summary: 'A tool call of a turn, with its whole arguments and result',
    description: 'For the calls of a sub-agent, the ids are those of its chat and turn. Likely secrets are masked.',
    params: idParams('chat_id', 'turn_id', 'call_id'),
    response: { status: 200, schema: tracedCallSchema },
    handler: async ({ caller, params: { chat_id: chatId, turn_id: turnId, call_id: callId } }, { database }) =>
      present(tracedCallSchema, await readCall(database, readerOf(caller), { chatId, turnId, callId })),
  }),
];
