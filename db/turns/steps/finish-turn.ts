import { v7 as uuidv7 } from 'uuid';
import { dueRuns, NEW_MESSAGES } from '../../../domain/core/due-work.ts';
import { type AttemptTries, type FinalTurnStatus, NO_TRIES } from '../../../domain/turns.ts';
import type { Database, TenantDatabase } from '../../core/database.ts';
import type { Consequences } from '../../core/after-commit.ts';
import { retrySerializationFailures } from '../../core/unavailable.ts';
import type { Statement } from '../../core/sql-pool.ts';
import { isWorkSlotWanted } from '../work-slots.ts';
import type { CallResult } from '../calls/close-call.ts';
import { announceReady } from '../ready-turn.ts';
import { type ChangedTask, completePlans, endOfTask, freeDependents, tasksOf } from '../tasks/complete-plans.ts';
import { CONTINUE_RUN } from '../runs.ts';
import { pushOf } from '../../issue-pushes.ts';
import {
  deliveriesTo,
  DUE_CLIENTS,
  DUE_TARGETS,
  reportTurn,
  notifyClients,
  notifyWebhook,
} from '../../webhooks/notify-webhook.ts';
import { insertUsage, type StepRef, type StepUsage, usageValue, withOutcome } from './step.ts';

/** The end of a turn, and the content of its assistant message. */
export interface TurnOutcome extends StepRef {
  readonly chatId: string;
  readonly status: FinalTurnStatus;
  readonly content: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly agentId: string;
  /** The display name of the account that answered. */
  readonly providerUsed: string | null;
  /** The usage of the last step; absent when it called no model. */
  readonly usage: StepUsage | undefined;
  /** The model calls of the last attempt; none by default. */
  readonly tries?: AttemptTries;
  /** The text of the last step, for a turn with earlier steps. */
  readonly lastText: string | undefined;
  /** For a sub-agent: the result of its parent's call. */
  readonly delegationResult: CallResult | undefined;
  /** Whether it is an attempt at a task, which ends with it. */
  readonly isAttempt: boolean;
  /** The run of a workflow that it is a step of, which continues when it has ended; null for none. */
  readonly runId: string | null;
}

/** The effects of a turn's end. */
export interface FinishedTurn {
  /** Whether further turns of the chat wait. */
  readonly hasMore: boolean;
  /** Whether a turn waits for the work slot that it had. */
  readonly isWorkSlotWanted: boolean;
}

/**
 * Ends a turn: its state, its one assistant message and the tokens of its last step, for a sub-agent its task and its
 * parent's call, for an attempt at a task that task and the turn that reports it in its chat, and for a step of a run
 * that the run continues, and what its chat's webhook, its destinations and its clients are notified of, in one
 * transaction. Returns `undefined`, and stores nothing, when another attempt or step has begun or the turn has ended
 * already.
 */
export async function finishTurn(
  database: Pick<Database, 'tenant' | 'follow'>,
  outcome: TurnOutcome,
): Promise<FinishedTurn | undefined> {
  const stored = await storeEnd(database, outcome);
  if (stored === undefined) return undefined;
  const { hasMore, isWorkSlotWanted: isWanted } = stored;
  await database.follow([consequencesOf(outcome, stored)]);
  return { hasMore, isWorkSlotWanted: isWanted };
}

function consequencesOf({ orgId, runId }: TurnOutcome, stored: StoredEnds): Consequences {
  const { dueWebhooks, pushedProjects, endedTask, tasksWithoutRoom, runsWithoutRoom, freed } = stored;
  const pushes = (pushedProjects ?? []).map((projectId) => pushOf({ orgId, projectId }));
  const tasks = [endedTask ?? [], tasksWithoutRoom ?? []].flat().map((taskId) => ({ taskId }));
  const runs = [runId ?? [], runsWithoutRoom ?? []].flat().map((id) => ({ orgId, runId: id }));
  const others = [...deliveriesTo(orgId, dueWebhooks), ...pushes, ...tasksOf(orgId, [...tasks, ...freed])];
  return { dueWork: [NEW_MESSAGES, ...dueRuns(runs), ...others] };
}

/** The result of the statement that ends a turn. */
interface StoredEnd extends FinishedTurn {
  /** The addresses to which something is to be sent now. */
  readonly dueWebhooks: readonly string[] | null;
  /** Tasks that may now have room for an open turn. */
  readonly tasksWithoutRoom: readonly string[] | null;
  readonly runsWithoutRoom: readonly string[] | null;
  /** The projects whose code hosts get a comment about an ended attempt. */
  readonly pushedProjects?: readonly string[] | null;
  /** The task that has ended with it. */
  readonly endedTask?: string | null;
}

interface StoredEnds extends StoredEnd {
  /** The tasks that waited for an ended attempt alone. */
  readonly freed: readonly ChangedTask[];
}

async function storeEnd({ tenant }: TenantDatabase, outcome: TurnOutcome): Promise<StoredEnds | undefined> {
  const { orgId, isAttempt } = outcome;
  const reportId = isAttempt ? uuidv7() : undefined;
  const finish = finishStatement(outcome, reportId);
  if (reportId === undefined) {
    const [stored] = await tenant.query(orgId, finish);
    return stored && { ...stored, freed: [] };
  }
  // Run again as a whole after a conflict: only the first one writes.
  const { turnId } = outcome;
  const statements = [finish, freeDependents(turnId), completePlans(turnId), announceReady(reportId)] as const;
  const [[stored], freed, freedByPlans] = await retrySerializationFailures(async () =>
    tenant.series(orgId, statements),
  );
  return stored && { ...stored, freed: [...freed, ...freedByPlans] };
}

function finishStatement(outcome: TurnOutcome, reportId: string | undefined): Statement<StoredEnd> {
  const { lastText, delegationResult } = outcome;
  const hasSteps = lastText !== undefined || delegationResult !== undefined;
  const values = [
    outcome.turnId,
    outcome.attempt,
    outcome.step,
    outcome.status,
    uuidv7(),
    outcome.content,
    JSON.stringify(outcome.metadata),
    outcome.providerUsed,
    outcome.agentId,
    outcome.chatId,
    usageValue(outcome.usage),
    JSON.stringify(outcome.tries ?? NO_TRIES),
    ...(hasSteps ? stepValues(outcome) : []),
    ...(reportId === undefined ? [] : [reportId]),
  ];
  return { ...FINISH[hasSteps ? 'stepped' : 'plain'][kindOf(outcome, reportId)], values };
}

function kindOf({ runId }: TurnOutcome, reportId: string | undefined): 'alone' | 'withTask' | 'withRun' {
  if (reportId !== undefined) return 'withTask';
  return runId === null ? 'alone' : 'withRun';
}

function stepValues({ lastText, delegationResult: handedBack }: TurnOutcome): unknown[] {
  return [lastText ?? null, handedBack?.status ?? null, handedBack?.result ?? null, handedBack?.isForeign ?? false];
}

const CLOSED = `closed as (
    update turns t set status = $4, ended_at = now(), waiting_until = null, waiting_since = null,
      trace = ${withOutcome('$12')}
    where id = $1 and attempt = $2 and step = $3 and status = 'running' returning *
  ),
  used as (
    ${insertUsage('$11', { turn: 'closed', step: '$3' })}
  ),
  touched as (update chats set updated_at = now() from closed where chats.id = closed.chat_id)`;

// One of the same user, and one of anybody: which bound was in the way is not known.
const withoutRoom = (table: string, user: string, waits: string) => `(select array_agg(id) from (
      (select w.id from ${table} w where w.org_id = messages.org_id and w.${user} = messages.user_id and ${waits}
        order by w.id limit 1)
      union (select w.id from ${table} w where w.org_id = messages.org_id and ${waits} limit 1)
    ) waiting)`;
const TASKS_WITHOUT_ROOM = withoutRoom(
  'tasks',
  'created_by',
  "w.status = 'pending' and w.due_at is not null and w.waits_for_room",
);
const RUNS_WITHOUT_ROOM = withoutRoom('workflow_runs', 'user_id', 'w.completed_at is null and w.waits_for_room');

const MESSAGE = `insert into messages (id, org_id, chat_id, turn_id, role, content, metadata, provider_used, agent_id, user_id)
  select $5, org_id, chat_id, id, 'assistant', $6,
    $7::jsonb || jsonb_build_object('duration_ms', round(extract(epoch from ended_at - started_at) * 1000)),
    $8, $9, user_id from closed
  returning exists (
    select from turns where chat_id = $10 and status in ('queued', 'running') and id <> $1
  ) as "hasMore", ${isWorkSlotWanted('messages')} as "isWorkSlotWanted", ${DUE_TARGETS} || ${DUE_CLIENTS} as "dueWebhooks",
    ${TASKS_WITHOUT_ROOM} as "tasksWithoutRoom", ${RUNS_WITHOUT_ROOM} as "runsWithoutRoom"`;

const NOTIFY_WEBHOOK = notifyWebhook({
  source: 'closed',
  subject: 'message_id',
  subjectId: '$5::uuid',
  condition: `(w.chat_id = closed.chat_id or w.thread_chat_id = closed.chat_id)
    and exists (select from chats c where c.id = closed.chat_id and c.deleted_at is null)`,
});

const NOTIFY_CLIENTS = notifyClients('closed', 'closed.id');

const STEPS = `last_step as (
    insert into model_steps (turn_id, step, org_id, text, trace) select id, $3, org_id, $13, trace from closed
    where $13::text is not null
  ),
  delegated as (
    update tasks set status = $4, output = $6, ended_at = now(), updated_at = now() from closed
    where tasks.id = closed.id and $14::text is not null returning call_id
  ),
  handed_back as (
    update tool_calls k set status = $14, result = $15, ended_at = now() from delegated
    where k.id = delegated.call_id and k.status in ('planned', 'running')
  ),
  noted as (
    update chats c set has_foreign_text = true from closed join turns p on p.id = closed.parent_turn_id
    where $16 and c.id = p.chat_id and not c.has_foreign_text
  )`;

const finishAs = (of: 'chat_id' | 'task_id', name: string, ...parts: readonly string[]) => ({
  name,
  text: `with ${[CLOSED, NOTIFY_WEBHOOK, NOTIFY_CLIENTS, reportTurn(of, '$5::uuid'), ...parts].join(',\n  ')} ${MESSAGE}`,
});

const finish = (name: string, ...parts: readonly string[]) => finishAs('chat_id', name, ...parts);

const OF_ATTEMPT =
  '(select array_agg(project_id) from projects_to_tell) as "pushedProjects", (select id from worked) as "endedTask"';

const finishAttempt = (name: string, ...parts: readonly string[]) => {
  const { text } = finishAs('task_id', name, ...parts);
  return { name, text: `${text}, ${OF_ATTEMPT}` };
};

const FINISH = {
  plain: {
    alone: finish('finish-turn'),
    withTask: finishAttempt('finish-attempt', endOfTask('$13')),
    withRun: finish('finish-turn-of-run', CONTINUE_RUN),
  },
  stepped: {
    alone: finish('finish-stepped-turn', STEPS),
    withTask: finishAttempt('finish-stepped-attempt', STEPS, endOfTask('$17')),
    withRun: finish('finish-stepped-turn-of-run', STEPS, CONTINUE_RUN),
  },
} as const;
