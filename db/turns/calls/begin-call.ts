import type { FinalApprovalStatus } from '../../../domain/approvals.ts';
import type { Policy } from '../../../domain/permissions/policy.ts';
import type { WorkBounds } from '../../../domain/settings/setting-values.ts';
import type { Effect } from '../../../domain/tool-calls/tool-call.ts';
import type { Database } from '../../core/database.ts';
import { MEMBER_COLUMNS, type MemberRow, policyOfMember } from '../../permissions/for-turn.ts';
import { parseJsonTexts, userName, type WithJsonTexts } from '../../records/records.ts';
import { AFTER_SEQ, ANCESTORS, type AncestorTurn, HAS_FOREIGN_TEXT, HAS_STOPPED } from '../ancestors.ts';
import { RULE_COLUMNS, rulesOf } from '../approval-rules.ts';
import { DEADLINE } from '../deadline.ts';
import type { PlannedApproval } from '../steps/store-step.ts';

/** A call that is about to run, and what running it needs. */
export interface BegunCall {
  readonly id: string;
  /** Fences: once a later attempt has begun, this one can store no result. */
  readonly attempt: number;
  /** Whether an earlier attempt began it, and may have had the tool's effect. */
  readonly wasBegun: boolean;
  /** How often it was begun without ending in order, this time included. */
  readonly tries: number;
  /** Milliseconds since it was begun for the first time; null when it has never been. */
  readonly sinceFirstMs: number | null;
  readonly name: string;
  readonly label: string;
  /** Those that the model gave, or those that a person has approved instead. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The decision about it; null when it needed none. */
  readonly decision: CallDecision | null;
  readonly effect: Effect;
  /** Whether its chat, or one above it, has read text from outside. */
  readonly hasForeignText: boolean;
  readonly turn: {
    readonly id: string;
    readonly seq: number;
    readonly traceparent: string | null;
    readonly afterSeq: number;
    readonly chatId: string;
    readonly userId: string;
    readonly isInterrupted: boolean;
    readonly remainingMs: number | null;
    readonly ancestors: readonly AncestorTurn[];
    /** Whether sub-agents work for it as well. */
    readonly isDelegating: boolean;
  };
  /** Whether it must wait because too many calls of its user, or of the organization, run. Nothing has begun then. */
  readonly isDeferred: boolean;
  /** The chat whose workspace it uses: that of the agent at the root. */
  readonly rootChatId: string;
  readonly agent: {
    readonly id: string;
    readonly tools: readonly string[];
    readonly skills: readonly string[];
    readonly isUsable: boolean;
  };
  /** The user's current policy; null when they are no longer a member of the organization. */
  readonly policy: Policy | null;
}

/** The decision about a call that had to wait for one. */
export interface CallDecision {
  readonly status: Exclude<FinalApprovalStatus, 'cancelled' | 'outdated'>;
  /** The note to the model from the person who decided. */
  readonly note: string | null;
  /** The answer to a question, or its default when it is `expired`; null for other calls, and when it was denied. */
  readonly answer: string | null;
  /** The name of who decided; null when nobody did. */
  readonly by: string | null;
  /** Whether the call is made with other arguments than the model gave. */
  readonly isEdited: boolean;
  /** The digest of what was approved beside the arguments; null for a call that was asked about before it was kept. */
  readonly digest: string | null;
}

type BegunRow = WithJsonTexts<Omit<BegunCall, 'policy'>, 'arguments'> & MemberRow;

/**
 * Begins an attempt at a call. It is marked as running, which is the intent that must be stored before a tool is
 * called, unless the turn was asked to stop: then it stays as it is. `undefined` when the call has a result, and while
 * it waits for a person's decision.
 *
 * With bounds it takes a work slot among the running calls if there is one; concurrent calls do not see each other and
 * may exceed the bounds together. Without, it runs in the work slot of its turn.
 */
export async function beginCall(
  { tenant }: Database,
  { orgId, callId }: { orgId: string; callId: string },
  bounds?: WorkBounds,
): Promise<BegunCall | undefined> {
  const [row] = await tenant.query<BegunRow>(orgId, {
    name: 'begin-call',
    text: `with target as (
        select k.id, k.status = 'running' as was_begun, k.not_before > now() as is_early, ${HAS_STOPPED} as is_interrupted, t.user_id, t.org_id
        from tool_calls k join turns t on t.id = k.turn_id
        where k.id = $1 and k.status in ('planned', 'running') and t.status = 'running'
          and not exists (select from approvals p where p.call_id = k.id and p.status in ('pending', 'cancelled'))
        for update of k
      ),
      checked as (
        select target.*, not target.is_interrupted and $2 and (coalesce(target.is_early, false)
          or (not target.was_begun and not has_free_call_slot(target.user_id, target.org_id, $3, $4))) as is_deferred
        from target
      ),
      admitted as (select checked.*, not is_interrupted and not is_deferred as is_begun from checked)
      update tool_calls k set attempt = k.attempt + case when target.is_deferred then 0 else 1 end,
        tries = case when target.is_begun then k.tries + 1 else k.tries end,
        status = case when target.is_begun then 'running' else k.status end,
        started_at = case when target.is_begun then coalesce(k.started_at, now()) else k.started_at end,
        holder_id = case when target.is_begun and $2 then target.user_id end
      from admitted target left join approvals p on p.call_id = target.id and p.status <> 'outdated', turns t join chats c on c.id = t.chat_id join agents a on a.id = c.agent_id
        left join memberships m on m.org_id = t.org_id and m.user_id = t.user_id
      where k.id = target.id and t.id = k.turn_id
      returning k.id, k.attempt, target.was_begun as "wasBegun", k.tries,
        (extract(epoch from now() - k.started_at) * 1000)::bigint as "sinceFirstMs", k.name, k.label, k.effect,
        coalesce(p.edited_arguments, k.arguments)::text as arguments, case when p.id is not null then
          json_build_object('status', p.status, 'note', p.note, 'isEdited', p.edited_arguments is not null, 'digest', p.digest, 'answer', p.answer,
            'by', (select ${userName('u')} from users u where u.id = p.decided_by)) end as decision,
        ${HAS_FOREIGN_TEXT} as "hasForeignText",
        json_build_object('id', t.id, 'seq', t.seq, 'traceparent', t.traceparent, 'afterSeq', ${AFTER_SEQ}, 'chatId', t.chat_id, 'userId', t.user_id, 'isInterrupted',
          target.is_interrupted, 'remainingMs', (extract(epoch from ${DEADLINE} - now()) * 1000)::bigint, 'ancestors',
          (${ANCESTORS})::json, 'isDelegating', exists (
            select from tool_calls s where s.turn_id = t.id and s.effect = 'agent' and s.status in ('planned', 'running')
          )) as turn, target.is_deferred as "isDeferred",
        coalesce((select r.chat_id from turns r where r.id = t.ancestor_ids[1]), t.chat_id) as "rootChatId",
        json_build_object('id', a.id, 'tools', a.tools, 'skills', a.skills, 'isUsable', a.is_active and a.deleted_at is null) as agent,
        ${MEMBER_COLUMNS}`,
    values: [callId, bounds !== undefined, bounds?.perUser ?? 0, bounds?.perOrg ?? 0],
  });
  if (row === undefined) return undefined;
  const { userRole, groups, ...call } = row;
  const begun = parseJsonTexts<Omit<BegunCall, 'policy'>, 'arguments'>(call, ['arguments']);
  return { ...begun, policy: policyOfMember({ userRole, groups }) };
}

/** Reverts the count of an attempt that ended properly, though without a result. Safe to repeat. */
export async function takeBackTry(
  { tenant }: Database,
  orgId: string,
  call: { readonly id: string; readonly attempt: number; readonly tries: number },
): Promise<void> {
  await tenant.query(orgId, {
    name: 'take-back-try',
    text: `update tool_calls set tries = greatest($3 - 1, 0)
      where id = $1 and attempt = $2 and status in ('planned', 'running')`,
    values: [call.id, call.attempt, call.tries],
  });
}

/**
 * Makes an approved call that was begun wait for another decision, as if this attempt at it had not begun: its effect
 * was changed after the approval. The arguments that it was approved with stay. Another attempt that was begun in the
 * same instant waits for the same decision. Returns false, with nothing stored, when a later attempt has begun, or the
 * turn was asked to stop.
 */
export async function askAnew(
  { tenant }: Database,
  orgId: string,
  { id, attempt, tries }: Pick<BegunCall, 'id' | 'attempt' | 'tries'>,
  approval: PlannedApproval,
): Promise<boolean> {
  const { id: approvalId, expiresAt, parameters, details, digest } = approval;
  const rows = await tenant.query(orgId, {
    name: 'ask-anew',
    // The turn is locked first, as by everything else that changes both.
    text: `with turn as (
        select t.id from turns t where t.id = (select turn_id from tool_calls where id = $1) and t.status = 'running'
          and not ${HAS_STOPPED}
        for update
      ),
      aside as (
        update tool_calls k set status = 'planned', holder_id = null, started_at = null, tries = greatest($3 - 1, 0)
        from turn where k.turn_id = turn.id and k.id = $1 and k.attempt = $2 and k.status = 'running'
        returning k.id
      ),
      outdated as (
        update approvals p set status = 'outdated' from aside where p.call_id = aside.id and p.status = 'approved'
        returning p.*
      ),
      asked as (
        insert into approvals (id, org_id, chat_id, turn_id, root_turn_id, call_id, edited_arguments, expires_at, parameters,
          details, digest, ${RULE_COLUMNS})
        select $4, p.org_id, p.chat_id, p.turn_id, p.root_turn_id, p.call_id, p.edited_arguments, $5::timestamptz, $6, $7, $8, rules.*
        from outdated p cross join lateral ${rulesOf('p.org_id', '$5::timestamptz')} returning id
      )
      select id from asked
      union all select p.id from approvals p join aside on p.call_id = aside.id where p.status = 'pending'`,
    values: [
      id,
      attempt,
      tries,
      approvalId,
      expiresAt,
      parameters === null ? null : JSON.stringify(parameters),
      JSON.stringify(details),
      digest,
    ],
  });
  return rows.length > 0;
}

/**
 * Sets a call aside that has changed nothing, for so many milliseconds: as if this attempt at it had not begun, and
 * without its work slot. That an earlier attempt may have had the tool's effect stays known. Nothing happens when a
 * later attempt has begun, or the call has a result.
 */
export async function setCallAside(
  { tenant }: Database,
  orgId: string,
  { id, attempt, tries, wasBegun }: Pick<BegunCall, 'id' | 'attempt' | 'tries' | 'wasBegun'>,
  waitMs: number,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'set-call-aside',
    text: `update tool_calls set status = case when $5 then 'running' else 'planned' end, holder_id = null,
        tries = greatest($3 - 1, 0), not_before = now() + $4 * interval '1 millisecond'
      where id = $1 and attempt = $2 and status = 'running'`,
    values: [id, attempt, tries, waitMs, wasBegun],
  });
}

/**
 * Stores effect and label of the arguments that a person has approved instead of the model's. Stores nothing when a
 * later attempt has begun, or when the call does not run.
 */
export async function replanCall(
  { tenant }: Database,
  orgId: string,
  { id, attempt, effect, label }: { readonly id: string; readonly attempt: number; effect: Effect; label: string },
): Promise<void> {
  await tenant.query(orgId, {
    name: 'replan-call',
    text: `update tool_calls set effect = $3, label = $4
      where id = $1 and attempt = $2 and status = 'running'`,
    values: [id, attempt, effect, label],
  });
}
