import { notFound } from '../../domain/core/app-error.ts';
import { maskSecrets } from '../../domain/secrets.ts';
import type { CallStatus, Effect } from '../../domain/tool-calls/tool-call.ts';
import { type StepTokens, type TraceStep, type TurnState, workingMs } from '../../domain/traces.ts';
import { type ChatReader, readableChat } from '../chats/chat.ts';
import type { Database } from '../core/database.ts';
import { type Listed, type Page, readPage } from '../core/page.ts';
import type { Statement } from '../core/sql-pool.ts';
import { parseJsonTexts, type WithJsonTexts } from '../records/records.ts';
import { SUM_OF_USAGE } from '../turns/steps/step.ts';
import { buildSteps, sumUsage } from './build-trace.ts';
import { traceStatements } from './trace-rows.ts';

/** The steps of a turn and of the sub-agents below it. */
export interface Trace {
  readonly turn: TurnSummary;
  /** The rows below a row follow it; otherwise in the order of time. */
  readonly steps: readonly TraceStep[];
  /** Whether further rows are left out. */
  readonly isCut: boolean;
  /** The time during which a model or a tool was working, in milliseconds. */
  readonly workingMs: number;
  /** With sub-agents. */
  readonly usageInAll: StepTokens;
  /** Whether the chat is the reader's. */
  readonly isOwn: boolean;
}

/** Returns the trace of a turn in a chat that the reader may read; `not_found` when there is none. One round trip. */
export async function readTrace(
  { tenant }: Database,
  reader: ChatReader,
  { chatId, turnId }: { readonly chatId: string; readonly turnId: string },
): Promise<Trace> {
  const head: Statement<TurnSummary & { readonly readAt: Date; readonly isOwn: boolean }> = {
    name: 'trace-head',
    text: `select ${TURN_COLUMNS}, now() as "readAt", c.user_id = $3 as "isOwn" from turns t ${TURN_JOINS} where t.id = $1 and t.chat_id = $2`,
    values: [turnId, chatId, reader.userId],
  };
  const statements = [readableChat(reader, chatId), head, ...traceStatements(turnId)] as const;
  const [chats, [found], turns, steps, calls, approvals, usage] = await tenant.series(reader.orgId, statements);
  if (chats.length !== 1) throw notFound('Chat');
  if (found === undefined) throw notFound('Turn');
  const { readAt, isOwn, ...turn } = found;
  const built = buildSteps(turnId, { turns, steps, calls, approvals, usage });
  return { turn, ...built, workingMs: workingMs(built.steps, readAt), usageInAll: sumUsage(usage), isOwn };
}

/** Returns the turns of a chat that the reader may read, newest first; `not_found` when there is no such chat. */
export async function listTurns(
  { tenant }: Database,
  reader: ChatReader,
  chatId: string,
  page: Page,
): Promise<Listed<TurnSummary>> {
  return readPage<TurnSummary>(
    async (statement) => {
      const [chats, turns] = await tenant.series(reader.orgId, [readableChat(reader, chatId), statement]);
      if (chats.length !== 1) throw notFound('Chat');
      return turns;
    },
    {
      name: 'list-turns',
      columns: TURN_COLUMNS,
      bytes: `1500 + coalesce(octet_length(m.metadata ->> 'error'), 0)`,
      source: `from turns t ${TURN_JOINS} where t.chat_id = $1`,
      total: '(select count(*) from turns where chat_id = $1)',
      order: 't.seq desc',
      values: [chatId],
      page,
    },
  );
}

/** A tool call, whole. */
interface TracedCall {
  readonly id: string;
  readonly turnId: string;
  readonly name: string;
  readonly label: string;
  readonly effect: Effect;
  readonly status: CallStatus;
  /** Those of the model; likely secrets are masked. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Those with which a person has approved it instead; null when they were not changed. */
  readonly editedArguments: Readonly<Record<string, unknown>> | null;
  /** Null until it has one. */
  readonly result: string | null;
  readonly tries: number;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
}

/** Returns a call of a turn in a chat that the reader may read; `not_found` when there is none. */
export async function readCall(
  { tenant }: Database,
  reader: ChatReader,
  { chatId, turnId, callId }: { readonly chatId: string; readonly turnId: string; readonly callId: string },
): Promise<TracedCall> {
  const read: Statement<WithJsonTexts<TracedCall, 'arguments' | 'editedArguments'>> = {
    name: 'traced-call',
    text: `select k.id, k.turn_id as "turnId", k.name, k.label, k.effect, k.status, k.arguments::text as arguments,
        p.edited_arguments::text as "editedArguments", k.result, k.tries, k.created_at as "createdAt",
        k.started_at as "startedAt", k.ended_at as "endedAt"
      from tool_calls k join turns t on t.id = k.turn_id left join approvals p on p.call_id = k.id and p.status <> 'outdated'
      where k.id = $1 and k.turn_id = $2 and t.chat_id = $3`,
    values: [callId, turnId, chatId],
  };
  const [chats, [row]] = await tenant.series(reader.orgId, [readableChat(reader, chatId), read]);
  if (chats.length !== 1) throw notFound('Chat');
  if (row === undefined) throw notFound('Call');
  const call = parseJsonTexts<TracedCall, 'arguments' | 'editedArguments'>(row, ['arguments', 'editedArguments']);
  const { arguments: args, editedArguments: edited } = call;
  return { ...call, arguments: maskSecrets(args), editedArguments: edited && maskSecrets(edited) };
}

/** A turn in a list. */
interface TurnSummary {
  readonly id: string;
  readonly chatId: string;
  readonly status: TurnState;
  /** The beginning of the message that it answers; null when it answers none. */
  readonly question: string | null;
  readonly agentId: string | null;
  readonly agentName: string | null;
  /** The model that was called last. */
  readonly model: string | null;
  /** Why it failed. */
  readonly error: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  /** When a person asked it to stop. */
  readonly interruptedAt: Date | null;
  /** Until when it waits; null when it does not. */
  readonly waitingUntil: Date | null;
  /** 1, plus one each time that a step was begun again, including polls of what it waits for. */
  readonly attempts: number;
  readonly toolCallCount: number;
  /** Without sub-agents. */
  readonly usage: StepTokens;
  /** Those above a sub-agent. */
  readonly parentTurnId: string | null;
  readonly parentChatId: string | null;
  /** The task that it is an attempt at, or reports. */
  readonly taskId: string | null;
  /** The run of a workflow that it is a step of. */
  readonly runId: string | null;
}

const MAX_QUESTION_CHARACTERS = 200;

/** The columns of `TurnSummary` from `turns t`, with what `TURN_JOINS` joins. */
const TURN_COLUMNS = `t.id, t.chat_id as "chatId", t.status, left(q.content, ${MAX_QUESTION_CHARACTERS}) as question,
  a.id as "agentId", a.name as "agentName", m.metadata ->> 'model' as model, m.metadata ->> 'error' as error,
  t.created_at as "createdAt", t.started_at as "startedAt", t.ended_at as "endedAt",
  t.interrupt_requested_at as "interruptedAt", t.waiting_until as "waitingUntil", t.attempt as attempts,
  (select count(*)::int from tool_calls k where k.turn_id = t.id) as "toolCallCount",
  (select ${SUM_OF_USAGE} from token_usage where turn_id = t.id) as usage,
  t.parent_turn_id as "parentTurnId", c.parent_chat_id as "parentChatId", t.task_id as "taskId", t.run_id as "runId"`;

const TURN_JOINS = `join chats c on c.id = t.chat_id
  left join messages q on q.turn_id = t.id and q.role = 'user'
  left join messages m on m.turn_id = t.id and m.role = 'assistant'
  left join agents a on a.id = coalesce(m.agent_id, c.agent_id)`;
