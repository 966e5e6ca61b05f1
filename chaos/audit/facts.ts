import type { Queried } from '../installation/installation.ts';

/** A stored turn. Times are milliseconds since the epoch. */
export interface TurnFact {
  readonly id: string;
  readonly chatId: string;
  readonly orgId: string;
  readonly status: string;
  readonly attempt: number;
  readonly parentId: string | null;
  readonly ancestorIds: readonly string[];
  readonly wasAskedToStop: boolean;
  /** The task that it is an attempt at, or tells the result of. */
  readonly taskId: string | null;
  readonly isReport: boolean;
  /** The run of a workflow or a schedule that it belongs to. */
  readonly runId: string | null;
  readonly createdAt: number;
  readonly endedAt: number | null;
  readonly questions: readonly { readonly content: string; readonly messageId: string | null }[];
  readonly answers: readonly AnswerFact[];
}

interface AnswerFact {
  readonly content: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A stored call. */
export interface CallFact {
  readonly id: string;
  readonly turnId: string;
  readonly name: string;
  readonly arguments: string;
  readonly effect: string;
  readonly status: string;
  readonly attempt: number;
  /** How often it was begun without ending in order, the last time included. */
  readonly tries: number;
  /** The result for the model. */
  readonly result: string | null;
  /** Times are milliseconds since the epoch. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** Set for a delegation. */
  readonly taskId: string | null;
}

export interface UsageFact {
  readonly turnId: string;
  readonly step: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly estimated: boolean;
}

/** A stored task. Times are milliseconds since the epoch. */
export interface TaskFact {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly output: string | null;
  readonly attempts: number;
  /** The tasks that it depends on. */
  readonly needs: readonly string[];
  readonly createdAt: number;
  readonly endedAt: number | null;
}

/** All that is stored, as somebody sees it who sees every organization. */
export interface Facts {
  /** The turns of users and of sub-agents. */
  readonly turns: readonly TurnFact[];
  /** The attempts at tasks, and the turns that tell their results. */
  readonly taskTurns: readonly TurnFact[];
  /** The turns of runs of workflows and schedules. */
  readonly runTurns: readonly TurnFact[];
  readonly tasks: readonly TaskFact[];
  readonly calls: readonly CallFact[];
  readonly usage: readonly UsageFact[];
  readonly openTasks: readonly string[];
  /** The memories that agents were told to store. */
  readonly memories: readonly string[];
}

/** Reads the record. */
export async function readFacts(stack: Queried): Promise<Facts> {
  const turns = await stack.query<TurnFact>(TURNS);
  const calls = await stack.query<CallFact>(CALLS);
  const usage = await stack.query<UsageFact>(USAGE);
  const tasks = await stack.query<TaskFact>(TASKS);
  const memories = await stack.query<{ content: string }>('select content from agent_memories');
  return {
    turns: turns.filter(({ taskId, runId }) => taskId === null && runId === null),
    runTurns: turns.filter(({ runId }) => runId !== null),
    taskTurns: turns.filter(({ taskId }) => taskId !== null),
    tasks,
    calls,
    usage,
    openTasks: tasks.filter(({ status }) => OPEN.has(status)).map(({ id }) => id),
    memories: memories.map(({ content }) => content),
  };
}

const OPEN = new Set(['pending', 'in_progress']);

const TURNS = `
  select t.id, t.chat_id as "chatId", t.org_id as "orgId", t.status, t.attempt, t.parent_turn_id as "parentId",
    t.ancestor_ids as "ancestorIds", t.task_id as "taskId", t.is_report as "isReport", t.run_id as "runId", t.interrupt_requested_at is not null as "wasAskedToStop",
    (extract(epoch from t.created_at) * 1000)::float8 as "createdAt",
    (extract(epoch from t.ended_at) * 1000)::float8 as "endedAt",
    coalesce((select json_agg(json_build_object('content', m.content, 'messageId', m.client_message_id))
      from messages m where m.turn_id = t.id and m.role = 'user'), '[]') as questions,
    coalesce((select json_agg(json_build_object('content', m.content, 'metadata', m.metadata))
      from messages m where m.turn_id = t.id and m.role = 'assistant'), '[]') as answers
  from turns t order by t.seq`;

const TASKS = `
  select k.id, k.title, k.status, k.output, k.attempts, array(select d.needs_id from task_dependencies d where d.task_id = k.id) as needs,
    (extract(epoch from k.created_at) * 1000)::float8 as "createdAt",
    (extract(epoch from k.ended_at) * 1000)::float8 as "endedAt"
  from tasks k order by k.id`;

const CALLS = `
  select k.id, k.turn_id as "turnId", k.name, k.arguments::text as arguments, k.effect, k.status, k.attempt, k.tries, k.result,
    (extract(epoch from k.started_at) * 1000)::float8 as "startedAt", (extract(epoch from k.ended_at) * 1000)::float8 as "endedAt",
    (select s.id from tasks s where s.call_id = k.id) as "taskId"
  from tool_calls k order by k.turn_id, k.step, k.position`;

const USAGE = `
  select turn_id as "turnId", step, input_tokens as "inputTokens", output_tokens as "outputTokens", estimated
  from token_usage order by turn_id, step`;

/** The audit's finding about one promise. */
export interface Verdict {
  /** Such as `P3`. */
  readonly promise: string;
  readonly claim: string;
  /** The figures, in words. */
  readonly figure: string;
  /** The breaches, each with the ids that lead to it. Undefined when the promise was not checked. */
  readonly breaches: readonly string[] | undefined;
}
