import type { StepTokens, TurnState } from '../../domain/traces/index.ts';
import { SUM_OF_USAGE } from '../turns/index.ts';

/** A turn in a list. */
export interface TurnSummary {
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
  /** 1, and one more for each time that a step was begun again, looks at what it waits for included. */
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
export const TURN_COLUMNS = `t.id, t.chat_id as "chatId", t.status, left(q.content, ${MAX_QUESTION_CHARACTERS}) as question,
  a.id as "agentId", a.name as "agentName", m.metadata ->> 'model' as model, m.metadata ->> 'error' as error,
  t.created_at as "createdAt", t.started_at as "startedAt", t.ended_at as "endedAt",
  t.interrupt_requested_at as "interruptedAt", t.waiting_until as "waitingUntil", t.attempt as attempts,
  (select count(*)::int from tool_calls k where k.turn_id = t.id) as "toolCallCount",
  (select ${SUM_OF_USAGE} from token_usage where turn_id = t.id) as usage,
  t.parent_turn_id as "parentTurnId", c.parent_chat_id as "parentChatId", t.task_id as "taskId", t.run_id as "runId"`;

export const TURN_JOINS = `join chats c on c.id = t.chat_id
  left join messages q on q.turn_id = t.id and q.role = 'user'
  left join messages m on m.turn_id = t.id and m.role = 'assistant'
  left join agents a on a.id = coalesce(m.agent_id, c.agent_id)`;
