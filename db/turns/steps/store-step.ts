import { v7 as uuidv7 } from 'uuid';
import { NEW_MESSAGES } from '../../../domain/core/due-work.ts';
import type { CallDetail } from '../../../domain/approvals.ts';
import type { Asked } from '../../../domain/questions.ts';
import { type AttemptTries, NO_TRIES } from '../../../domain/turns.ts';
import type { ReplyState } from '../../../domain/transcripts/model-message.ts';
import type { Effect, FinalCallStatus } from '../../../domain/tool-calls/tool-call.ts';
import type { Database } from '../../core/database.ts';
import { IS_WORK_SLOT_WANTED } from '../work-slots.ts';
import { newsOfAsked } from '../news-of-asked.ts';
import { firstPosition } from '../tasks/complete-plans.ts';
import type { OpenCall } from '../claim/claimed-turn.ts';
import { RULE_COLUMNS, rulesOf } from '../approval-rules.ts';
import { DEADLINE } from '../deadline.ts';
import { insertUsage, type StepRef, type StepUsage, usageValue, withOutcome } from './step.ts';

/** A reply of the model that calls tools. */
export interface StoredReply {
  readonly text: string;
  readonly rawText: string | null;
  readonly state: ReplyState | null;
  readonly usage: StepUsage | undefined;
  readonly calls: readonly PlannedCall[];
  /** The context that sub-agents are traced in. */
  readonly traceparent?: string | undefined;
  /** The model calls that led to it; none by default. */
  readonly tries?: AttemptTries;
}

/** A call as it is stored before it is run; one with an `outcome` was rejected and is not run. */
export interface PlannedCall {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly effect: Effect;
  readonly outcome: { readonly status: FinalCallStatus; readonly result: string } | undefined;
  readonly delegation: Delegation | undefined;
  /** Set for a call that waits for a person's decision. */
  readonly approval?: PlannedApproval | undefined;
}

/** The decision that a call is to wait for. */
export interface PlannedApproval {
  readonly id: string;
  readonly expiresAt: Date;
  /** The JSON Schema by which edited arguments are checked; null when they cannot be. */
  readonly parameters: Readonly<Record<string, unknown>> | null;
  /** Details of the call for people, beside its arguments. */
  readonly details: readonly CallDetail[];
  /** The digest of what decides what the call does beside its arguments. */
  readonly digest: string;
  /** Set for a question, which waits for an answer instead. */
  readonly question?: PlannedQuestion | undefined;
}

/** Who may answer a question, and the default answer. */
export interface PlannedQuestion extends Asked {
  readonly defaultAnswer: string;
}

/** Work for a sub-agent. */
export interface Delegation {
  readonly agentId: string;
  readonly title: string;
  /** The sub-agent's first message. */
  readonly message: string;
  /** Seconds until the sub-agent's time is up. */
  readonly timeLimitSeconds: number;
  /** Kinds of work, in lower case, by which a model profile is chosen; null when the agent's own model will do. */
  readonly modelTags: readonly string[] | null;
}

/** A stored call: its id and tool, the chat of the sub-agent that answers it, and the decision that it needs. */
export type StoredCall = Omit<OpenCall, 'effect'>;

/** The result of storing a step. */
export interface StoredStep {
  /** The calls to run. */
  readonly calls: readonly StoredCall[];
  /** Whether the turn has released its work slot, as only sub-agents work for it, and another turn waits for one. */
  readonly isWorkSlotWanted: boolean;
}

/**
 * Stores a reply with its calls, its usage and its delegations, in one transaction. Returns `undefined`, with nothing
 * stored, when another attempt or step has begun.
 */
export async function storeStep(
  database: Database,
  ref: StepRef,
  { text, rawText, state, usage, calls, traceparent, tries = NO_TRIES }: StoredReply,
): Promise<StoredStep | undefined> {
  const open = calls.filter(({ outcome }) => outcome === undefined);
  const delegations = open.flatMap(({ id, delegation }) =>
    delegation === undefined
      ? []
      : [{ callId: id, turnId: uuidv7(), chatId: uuidv7(), messageId: uuidv7(), traceparent, ...delegation }],
  );
  const waiting = open.flatMap(({ id, approval }) => (approval === undefined ? [] : [{ callId: id, ...approval }]));
  const statement = STORE[delegations.length > 0 ? 'delegating' : 'plain'][waiting.length > 0 ? 'asking' : 'free'];
  const isBusy = open.some(({ approval, delegation }) => approval === undefined && delegation === undefined);
  const [row] = await database.tenant.query<{ isWorkSlotWanted: boolean }>(ref.orgId, {
    ...statement,
    values: [
      ref.turnId,
      ref.attempt,
      ref.step,
      text,
      rawText,
      state === null ? null : JSON.stringify(state),
      usageValue(usage),
      JSON.stringify(calls.map(toRow)),
      JSON.stringify(tries),
      ...(delegations.length > 0 ? [JSON.stringify(delegations), isBusy] : []),
      ...(waiting.length > 0 ? [JSON.stringify(waiting)] : []),
    ],
  });
  if (row === undefined) return undefined;
  if (delegations.length > 0) await database.follow([{ dueWork: [NEW_MESSAGES] }]);
  const questions = waiting.flatMap(({ id, question }) =>
    question === undefined ? [] : [{ orgId: ref.orgId, id, asked: [question] }],
  );
  if (questions.length > 0) await database.follow([{ changed: newsOfAsked(questions, 'created') }]);
  const chatOf = new Map(delegations.map(({ callId, chatId }) => [callId, chatId]));
  const stored = open.map(({ id, name, label, approval }) => ({
    id,
    name,
    label,
    subChatId: chatOf.get(id) ?? null,
    approval: approval === undefined ? null : presentApproval(approval),
  }));
  return { calls: stored, ...row };
}

function presentApproval({ id, expiresAt }: PlannedApproval) {
  return { id, status: 'pending', expiresAt: expiresAt.toISOString() } as const;
}

function toRow({ id, name, label, arguments: args, effect, outcome }: PlannedCall, position: number) {
  const status = outcome?.status ?? 'planned';
  return { id, position, name, label, arguments: args, effect, status, result: outcome?.result ?? null };
}

// The row lock of the fence makes a concurrent attempt wait, and then find that it is late.
const fencedStep = (change: string) => `fenced as (
    update turns t set ${change}, faults = 0, trace = ${withOutcome('$9')}
    where id = $1 and attempt = $2 and step = $3 and status = 'running' returning *
  ),
  step as (
    insert into model_steps (turn_id, step, org_id, text, raw_text, state, trace)
    select id, $3, org_id, $4, $5, $6, trace from fenced
  ),
  used as (
    ${insertUsage('$7', { turn: 'fenced', step: '$3' })}
  ),
  calls as (
    insert into tool_calls (id, org_id, turn_id, step, position, name, label, arguments, effect, status, result,
      started_at, ended_at)
    select c.id, f.org_id, f.id, $3, c.position, c.name, c.label, c.arguments, c.effect, c.status, c.result,
      case when c.status <> 'planned' then now() end, case when c.status <> 'planned' then now() end
    from fenced f, json_to_recordset($8::json) as c (id uuid, position int, name text, label text, arguments json,
      effect text, status text, result text)
  )`;

// Decisions that calls wait for.
const asking = (approvals: string) => `asked as (
    insert into approvals (id, org_id, chat_id, turn_id, root_turn_id, call_id, expires_at, parameters,
      details, digest, asked_user_id, asked_role, default_answer, ${RULE_COLUMNS})
    select a.id, f.org_id, f.chat_id, f.id, coalesce(f.ancestor_ids[1], f.id), a."callId", a."expiresAt", a.parameters,
      a.details, a.digest, (a.question ->> 'userId')::uuid, a.question ->> 'role', a.question ->> 'defaultAnswer',
      rules.*
    from fenced f, jsonb_to_recordset(${approvals}::jsonb) as a (id uuid, "callId" uuid, "expiresAt" timestamptz,
      parameters jsonb, details jsonb, digest text, question jsonb)
      cross join lateral ${rulesOf('f.org_id', 'a."expiresAt"', 'a.question is not null')}
  )`;

const storePlain = (more = '') =>
  `with ${fencedStep('waiting_since = null')}${more} select false as "isWorkSlotWanted" from fenced`;

// A turn that only waits for sub-agents occupies no worker.
const storeDelegating = (
  more = '',
) => `with ${fencedStep('waiting_since = null, is_at_work = is_at_work and $11')}${more},
  work as (
    select d.*, f.org_id, f.user_id, f.id as parent_id, f.chat_id as parent_chat_id, f.ancestor_ids,
      least(f.ends_at, now() + d."timeLimitSeconds" * interval '1 second') as deadline_at
    from (select t.*, ${DEADLINE} as ends_at from fenced t) f, jsonb_to_recordset($10::jsonb) as d ("callId" uuid, "turnId" uuid, "chatId" uuid, "messageId" uuid,
      "agentId" uuid, title text, message text, "timeLimitSeconds" double precision,
      "modelTags" text[], traceparent text)
  ),
  sub_chats as (
    insert into chats (id, org_id, user_id, agent_id, title, parent_chat_id, root_chat_id, model_tags, deleted_at)
    select w."chatId", w.org_id, w.user_id, w."agentId", w.title, w.parent_chat_id, coalesce(p.root_chat_id, p.id),
      w."modelTags", p.deleted_at
    from work w join chats p on p.id = w.parent_chat_id
  ),
  sub_turns as (
    insert into turns (id, org_id, chat_id, user_id, parent_turn_id, ancestor_ids, deadline_at, traceparent)
    select "turnId", org_id, "chatId", user_id, parent_id, ancestor_ids || parent_id, deadline_at, traceparent from work
  ),
  sub_messages as (
    insert into messages (id, org_id, chat_id, turn_id, role, content, agent_id, user_id)
    select "messageId", org_id, "chatId", "turnId", 'user', message, "agentId", user_id from work
  ),
  sub_tasks as (
    insert into tasks (id, org_id, chat_id, created_by, title, description, assigned_agent_id, parent_turn_id, call_id, sub_chat_id,
      position)
    select "turnId", org_id, parent_chat_id, user_id, title, message, "agentId", parent_id, "callId", "chatId",
      ${firstPosition('"turnId"')} from work
  )
  select not t.is_at_work and ${IS_WORK_SLOT_WANTED} as "isWorkSlotWanted" from fenced t`;

const STORE = {
  plain: {
    free: { name: 'store-step', text: storePlain() },
    asking: { name: 'store-step-asking', text: storePlain(`, ${asking('$10')}`) },
  },
  delegating: {
    free: { name: 'store-step-delegating', text: storeDelegating() },
    asking: { name: 'store-step-delegating-asking', text: storeDelegating(`, ${asking('$12')}`) },
  },
} as const;
