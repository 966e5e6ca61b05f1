import type { z } from 'zod';
import { listTurns, readCall, readTrace, type Trace } from '../../db/traces/read-trace.ts';
import { present, presenter } from '../../domain/core/record-names.ts';
import { policyAllows } from '../../domain/permissions/policy.ts';
import type { TraceStep } from '../../domain/traces.ts';
import { conversationId, subAgentId } from '../../workflows/turns/contract.ts';
import { readerOf } from '../chats/own-chat.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import {
  STEP_SCHEMAS,
  tokensSchema,
  tracedCallSchema,
  traceSchema,
  type traceStepSchema,
  turnSchema,
} from './schema.ts';

const head = { access: 'in_org', tag: 'Chats', method: 'get' } as const;

export const traceRoutes = [
  defineRoute({
    ...head,
    resource: 'turns',
    path: '/api/chats/{chat_id}/turns',
    operationId: 'listTurns',
    summary: 'List the turns of a chat, newest first',
    description:
      'A turn is a message of the user and everything until its one answer, including while that is being written.',
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
    summary: 'Get the trace of a turn: what happened, when, and with which outcome',
    description:
      'Waits, attempts, model calls, tool calls and the work of sub-agents, as a list in which `parent_id` gives the hierarchy. It can be read while the turn runs. At most 5,000 rows; arguments, results and model output are abbreviated.',
    response: { status: 200, schema: traceSchema },
    handler: async ({ caller, params: { chat_id: chatId, turn_id: turnId } }, { database, temporalUi }) => {
      const trace = await readTrace(database, readerOf(caller), { chatId, turnId });
      const chat = { orgId: caller.orgId, chatId };
      return {
        ...presentTrace(trace, { seesAccounts: policyAllows(caller.policy, 'providers.view') }),
        temporal_url: temporalUi(trace.turn.parentTurnId === null ? conversationId(chat) : subAgentId(chat)),
      };
    },
  }),
  defineRoute({
    ...head,
    resource: 'calls',
    path: '/api/chats/{chat_id}/turns/{turn_id}/calls/{call_id}',
    operationId: 'getTracedCall',
    summary: 'Get a tool call of a turn, with its full arguments and result',
    description: 'For the calls of a sub-agent, the ids are those of its chat and turn. Likely secrets are masked.',
    response: { status: 200, schema: tracedCallSchema },
    handler: async ({ caller, params: { chat_id: chatId, turn_id: turnId, call_id: callId } }, { database }) =>
      present(tracedCallSchema, await readCall(database, readerOf(caller), { chatId, turnId, callId })),
  }),
];

type ShownStep = z.input<typeof traceStepSchema>;
type ModelCall = Extract<TraceStep, { kind: 'model_call' }>;
type ShownFields = TraceStep | (Omit<ModelCall, 'account'> & { readonly account: null });

/** Returns a turn as the API shows it. */
const presentTurn = presenter(turnSchema);

/**
 * Returns a trace as the API shows it. Accounts, and what their providers have answered, are shown to the owner of the
 * chat and to callers who may see accounts.
 */
function presentTrace(
  trace: Trace,
  { seesAccounts }: { readonly seesAccounts: boolean },
): Omit<z.input<typeof traceSchema>, 'temporal_url'> {
  const { turn, steps, isCut, workingMs, usageInAll, isOwn } = trace;
  const shown = isOwn || seesAccounts ? steps : steps.map(withoutAccount);
  return {
    turn: presentTurn(turn),
    steps: shown.map(presentStep),
    is_cut: isCut,
    working_ms: workingMs,
    usage_in_all: present(tokensSchema, usageInAll),
  };
}

function withoutAccount(step: TraceStep): ShownFields {
  return step.kind === 'model_call' ? { ...step, account: null, accountId: null, reason: null } : step;
}

// The schema of a kind is that of the step's own kind, which the compiler cannot follow through the table.
function presentStep(step: ShownFields): ShownStep {
  const schema: z.ZodObject = STEP_SCHEMAS[step.kind];
  return present(schema, step as never) as ShownStep;
}
